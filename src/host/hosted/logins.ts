/** The logins that members of this process share, and the models of providers that go through them. */
import { hostname } from "node:os";
import { derived } from "../../core/derived.ts";
import { isEkidenError } from "../../core/errors.ts";
import type { Model, ModelRequest, Reply, ReplyOptions } from "../../ports/index.ts";
import type { Login, LoginParts } from "./login.ts";

type From = Pick<LoginParts, "store" | "clock" | "random">;

export class Logins {
  /** By program and account. */
  private readonly open = new Map<string, Promise<Login>>();

  of(program: string, login: string, from: From): Promise<Login> {
    const key = JSON.stringify([program, login]);
    const made = async (): Promise<Login> => {
      const { Login } = await import("./login.ts");
      const opened = new Login({ ...from, program, login, machine: hostname() });
      await opened.open();
      return opened;
    };
    const known = this.open.get(key) ?? made();
    this.open.set(key, known);
    known.catch(() => this.open.delete(key)); // the store is away
    return known;
  }

  /**
   * A model whose account is not asked while a limit of it holds. Its requests fail at once then, and the error names the time until which
   * its member rests. The first request after that is the try: a refused one costs nothing.
   */
  through(model: Model, from: () => From): Model {
    const { account, spec } = model;
    if (account === undefined) return model;
    const provider = spec.split("/")[0] ?? spec;
    const reply = async (request: ModelRequest, options: ReplyOptions): Promise<Reply> => {
      const whole = await this.of(provider, account, from());
      const own = await this.of(spec, account, from());
      const logins = [whole, own];
      const who = {};
      const enter = (): void => {
        for (const login of logins) login.enter(who);
      };
      const worked = (): void => {
        for (const login of logins) login.worked(who);
      };
      try {
        enter();
        const answer = await model.reply(request, {
          ...options,
          // Others may have met the limit while it waited behind them.
          afterWait: async () => {
            enter();
            await options.afterWait?.();
          },
          onDelta: (delta) => {
            worked();
            options.onDelta?.(delta);
          },
        });
        worked();
        return answer;
      } catch (error) {
        const limit = isEkidenError(error) ? error.details.limit : undefined;
        const login = limit === "model" ? own : whole;
        throw limit && isEkidenError(error) ? login.refused(limit, error, who) : error;
      } finally {
        for (const login of logins) login.left(who);
      }
    };
    return derived(model, { reply });
  }
}
