/** A permission for more than this once: a rule, as it is offered, wider, or in the person's own words, for this session or for good. */
import { useState } from "preact/hooks";
import { widthsOf } from "../../../../core/permission/widths.ts";
import { Button, TextField } from "../parts/fields.tsx";

type Props = {
  readonly rule: string;
  readonly isSent: boolean;
  /** `word`: "session" or "always". */
  readonly say: (word: string, rule: string) => Promise<void>;
};

export function RuleForm({ rule, isSent, say }: Props) {
  const [text, setText] = useState(rule);
  const widths = widthsOf(rule);
  const chosen = text.trim() === rule ? "" : text.trim();
  const mayAnswer = !isSent && text.trim() !== "";
  return (
    <details class="rule">
      <summary>
        Allow more than this once: <code>{text}</code>
      </summary>
      <div class="row">
        <TextField aria-label="Rule" value={text} onValue={setText} />
        <Button
          disabled={!mayAnswer}
          title="Until the team's process ends"
          onClick={() => void say("session", chosen)}
        >
          Allow for this session
        </Button>
        <Button
          disabled={!mayAnswer}
          title="Kept for you and this project"
          onClick={() => void say("always", chosen)}
        >
          Always allow
        </Button>
      </div>
      {widths.length > 1 && (
        <p class="row widths">
          <span class="dim">As wide as:</span>
          {widths.map((one) => (
            <Button key={one} class="link" aria-pressed={one === text} onClick={() => setText(one)}>
              <code>{one}</code>
            </Button>
          ))}
        </p>
      )}
    </details>
  );
}
