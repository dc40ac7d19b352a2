/** A conversation only grows, whatever happens to the member: every request begins with the one before, or it is a new conversation. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import { FUZZ } from "../../../test/fixtures/fuzz.ts";
import { type Answer, agentOf, calling, failing, modelOf, saying } from "../../../test/fixtures/member.ts";
import { host, name, profile, stage } from "../../../test/fixtures/stage.ts";
import { heard } from "../../core/conversation/chat.ts";
import { prefixBreaks } from "../../core/conversation/prefix.ts";
import { claimed } from "../../core/conversation/prompt.ts";
import { isEkidenError } from "../../core/errors.ts";
import { LEAD } from "../../core/ids.ts";
import { DEFAULT_SETTINGS } from "../../core/settings/settings.ts";
import type { ModelRequest, Tool } from "../../ports/index.ts";
import { callTool } from "../../tools/call-tool.ts";
import { defineTool } from "../../tools/define.ts";
import type { Agent, Section } from "../agent/agent.ts";
import { beginStint } from "../agent/feature.ts";
import { Interruption } from "../agent/interruption.ts";
import { appendNote } from "./record.ts";
import { ReplyRecovery } from "./reply-recovery.ts";
import { readMail, turn } from "./turn.ts";

const here = stage("sqlite");
const alice = name("alice");
const SMALL = { ...DEFAULT_SETTINGS, contextShare: 0.8, contextTokens: 4_000, trimTokens: 1_000 };
const never = new AbortController().signal;

/** Every request of one member, compared byte by byte with the one before. */
class Watched {
  private before: readonly string[] = [];
  readonly broken: string[] = [];
  conversations = 0;

  see({ system, tools, messages }: ModelRequest): void {
    const head = [system, JSON.stringify(tools)];
    const parts = [...head, ...messages.map((message) => JSON.stringify(message))];
    const isNew = messages.length === 1;
    if (isNew) this.conversations += 1;
    else {
      const at = this.before.findIndex((part, i) => part !== parts[i]);
      if (at !== -1)
        this.broken.push(`part ${at}: ${this.before[at]?.slice(0, 80)} became ${parts[at]?.slice(0, 80)}`);
    }
    this.before = parts;
  }
}

const WHAT = ["rules", "role", "server up", "server down", "mail", "call", "late call", "say"] as const;
const EVENTS = ["compact", "restart", "killed in a call", "busy", "other model", "later"] as const;

it("begins each request with the one before, through changes, crashes, summaries and other models", async () => {
  let team = 0;
  let conversations = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ does: fc.constantFrom(...WHAT, ...EVENTS), size: fc.nat(5_000) }), {
        minLength: 15,
        maxLength: 50,
      }),
      async (steps) => {
        team += 1;
        const store = await here.open({ team: name(`grow-${team}`) });
        await store.roster.open(host("here"), "this machine", process.pid);
        await store.roster.join(profile("lead", { kind: "lead" }), host("here"), LEAD);
        const seat = await store.roster.join(profile("alice"), host("here"), LEAD);
        await store.board.add({ subject: "the lighthouse", description: "the lamp must stay lit" }, LEAD);
        await store.board.claimNext(seat, claimed);

        let [rules, role, isUp, size] = ["Rule 0.", "", false, 0];
        let killed = new AbortController();
        let dies = false;
        const tool = (named: string): Tool =>
          defineTool({
            ...{ name: named, description: named, access: "exec" as const },
            input: () => z.object({}),
            run: async () => {
              if (dies) killed.abort(new Interruption("suspend"));
              killed.signal.throwIfAborted();
              return "r".repeat(size);
            },
          });
        const [work, late] = [tool("work"), tool("mcp__late__tool")];
        const passing = callTool((wanted) => (isUp && wanted === late.name ? late : undefined));
        const sections = (): Section[] => [
          { place: "system", about: "", text: "How to work." },
          { place: "shared", about: "rules", text: rules },
          { place: "own", about: "role", text: role },
          { place: "own", about: "", text: "You are alice." },
        ];
        const features = [{ tools: () => [work, passing, ...(isUp ? [late] : [])], sections }];

        const watched = new Watched();
        let answer: Answer = saying("x");
        const models = [true, false].map((bindsPrefix) =>
          modelOf(
            (request, nth) => {
              if (request.tools.length === 0) return saying("Goal: light.");
              watched.see(request);
              const given = answer;
              if (given instanceof Error) answer = saying("after the fault");
              return given instanceof Error || !given.message
                ? given
                : {
                    ...given,
                    message: {
                      role: "assistant",
                      content: [
                        { type: "thinking", text: "", meta: { seal: `${bindsPrefix}-${nth}` } },
                        ...given.message.content,
                      ],
                    },
                  };
            },
            { bindsPrefix },
          ),
        );
        let main = 0;
        const born = async (): Promise<Agent> => {
          const [model = never as never, fallback] = main === 0 ? models : models.toReversed();
          const entries = await store.transcript.current(alice);
          return agentOf(store, seat, here.clock, model, { features, fallback, entries, context: SMALL });
        };
        let agent = await born();
        let replies = new ReplyRecovery(agent);
        const again = async (): Promise<void> => {
          agent = await born();
          replies = new ReplyRecovery(agent);
        };
        for (const [n, step] of steps.entries()) {
          size = step.size;
          answer = saying(`s${"y".repeat(size / 4)}`);
          switch (step.does) {
            case "rules":
              rules = `Rule ${n}. ${"z".repeat(size / 10)}`;
              break;
            case "role":
              role = role === "" ? `You test, since ${n}.` : "";
              break;
            case "server up":
            case "server down":
              isUp = step.does === "server up";
              break;
            case "mail":
              await store.mail.send(LEAD, {
                to: alice,
                body: { kind: "note", text: `m${n} ${"m".repeat(size)}` },
              });
              break;
            case "call":
            case "killed in a call":
              answer = calling("work");
              dies = step.does === "killed in a call";
              break;
            case "late call":
              answer = calling("call_tool", { name: late.name, input: {} });
              break;
            case "compact":
              replies.context.ask();
              break;
            case "other model":
              main = 1 - main;
              await again();
              break;
            case "restart":
              await again();
              break;
            case "busy":
              answer = failing("model_overloaded");
              break;
            case "later":
              await here.clock.advance(400_000);
          }
          await beginStint(agent);
          await readMail(agent);
          if (!agent.conversation.awaitsReply) await appendNote(agent, heard(`continue ${n}`));
          try {
            await turn(agent, dies ? killed.signal : never, replies);
          } catch (error) {
            if (!dies && !isEkidenError(error, "model_overloaded")) throw error;
          }
          if (dies) await again();
          killed = new AbortController();
          dies = false;
        }
        conversations += watched.conversations;
        expect(watched.broken).toEqual([]);
        const all = await store.transcript.all(alice, 0, 10_000);
        expect(prefixBreaks(all.map(({ entry }) => entry))).toEqual([]);
      },
    ),
    { ...FUZZ, numRuns: 15 },
  );
  expect(conversations).toBeGreaterThan(15); // summaries began some of them
});
