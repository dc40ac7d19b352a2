/** A word to the member whose conversation is shown, or none: it is only interrupted then, as Esc does in a terminal. */
import { useCallback, useState } from "preact/hooks";
import { app } from "../app.ts";
import { useKeys } from "../keys.ts";
import { Button, Form, TextField } from "../parts/fields.tsx";

export function Say({ to }: { to: string }) {
  const [text, setText] = useState("");
  const member = app.model.members.get(to);
  const isAtWork = member?.phase === "work" && member.hosted;
  const send = async (urgent: boolean): Promise<void> => {
    if (await app.act({ do: "send", to, text, urgent })) setText("");
  };
  const interrupt = (): void => {
    if (text.trim() !== "") void send(true);
    else if (isAtWork) void app.act({ do: "steer", what: "interrupt", who: to, value: "" });
  };
  const keys = useCallback(
    (key: string) => {
      if (key !== "Escape" || !isAtWork) return false;
      void app.act({ do: "steer", what: "interrupt", who: to, value: "" });
      return true;
    },
    [to, isAtWork],
  );
  useKeys(keys);
  return (
    <Form
      class="say"
      onSend={() => send(false)}
      onKeyDown={(event) => {
        if (event.key === "Escape" && text === "") keys(event.key);
      }}
    >
      <TextField
        aria-label={`Write to ${to}`}
        placeholder={`Write to ${to}`}
        value={text}
        onValue={setText}
      />
      <button type="submit" disabled={text.trim() === ""}>
        Send
      </button>
      <Button
        disabled={text.trim() === "" && !isAtWork}
        onClick={interrupt}
        title={
          text.trim() === ""
            ? "Ends its turn (Esc): it keeps its task and waits for a message"
            : "Urgent: interrupts what it is doing"
        }
      >
        Interrupt
      </Button>
    </Form>
  );
}
