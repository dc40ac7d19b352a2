/** The view of other faces on a run in this process: a face that opens its door hears the same as its display. */

import type { Settings } from "../../core/settings/settings.ts";
import type { Door } from "../../host/attach/door.ts";
import { socketPath } from "../../host/attach/wire.ts";
import type { HostOptions, TeamHost } from "../../host/team-host.ts";
import type { Invocation } from "../kit/invocation.ts";

type Told = Pick<HostOptions, "onDelta" | "onOutput" | "onModel">;

export class RunDoor {
  private door: Door | null = null;
  private opening: Promise<void> = Promise.resolve();
  /** Models that were named before the door was open. */
  private readonly models: Parameters<Door["told"]["onModel"]>[] = [];

  /** Whether somebody looks on from elsewhere. */
  get isWatched(): boolean {
    return this.door?.alone === 0;
  }

  /** Tells the display, and everybody who comes later. */
  told(display: Told = {}): Required<Told> {
    return {
      onDelta: (...heard) => {
        display.onDelta?.(...heard);
        this.door?.told.onDelta(...heard);
      },
      onOutput: (...heard) => {
        display.onOutput?.(...heard);
        this.door?.told.onOutput(...heard);
      },
      onModel: (...heard) => {
        display.onModel?.(...heard);
        if (this.door) this.door.told.onModel(...heard);
        else this.models.push(heard);
      },
    };
  }

  notice(text: string): void {
    this.door?.told.onNotice(text);
  }

  /** Lets other terminals and a page of this person steer the run, from a moment on. */
  open(
    when: Promise<unknown>,
    host: TeamHost,
    settings: Settings,
    call: Invocation,
    signal: AbortSignal,
  ): void {
    const open = async (): Promise<void> => {
      await when;
      if (signal.aborted || host.isEnding()) return;
      const { Door } = await import("../../host/attach/door.ts");
      // Null where another process has the socket.
      const door = await Door.open(socketPath(settings, call.cwd, "run"));
      door?.serve(host, Promise.resolve(), call.flags, true);
      for (const model of this.models.splice(0)) door?.told.onModel(...model);
      this.door = door;
    };
    this.opening = open().catch(() => {}); // it costs no run that other faces cannot call it
  }

  async close(): Promise<void> {
    await this.opening;
    await this.door?.close();
  }
}
