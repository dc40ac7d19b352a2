/**
 * The port by which an agent program reaches the board: a port of this machine that takes one secret word. The program starts a small Node
 * process that passes its stdin and stdout on, because stdio is the one transport that every program has.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type Server, type Socket } from "node:net";
import type { BoardServer } from "../../adapters/agents/agent.ts";

const SCRIPT =
  'const s=require("net").connect(+process.argv[1],"127.0.0.1");s.write(process.env.EKIDEN_BOARD+"\\n");process.stdin.pipe(s);s.pipe(process.stdout);s.on("close",()=>process.exit()).on("error",()=>process.exit(1))';
const WORD_MS = 10_000;

export class BoardSocket {
  /** The small process, as the program is told of it, and the port that it connects to. */
  readonly ready: Promise<{ readonly server: BoardServer; readonly port: number }>;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  /** `serve`: gets each connection that knew the word. */
  constructor(serve: (socket: Socket) => void) {
    const token = randomBytes(24).toString("hex");
    this.server = createServer((socket) => {
      this.sockets.add(socket);
      socket.once("close", () => this.sockets.delete(socket)).on("error", () => socket.destroy());
      void this.greeted(socket, Buffer.from(`${token}\n`)).then((knows) => {
        if (knows) serve(socket);
        else socket.destroy();
      });
    });
    this.ready = new Promise((resolve, reject) => {
      this.server.once("error", reject).listen(0, "127.0.0.1", () => {
        this.server.unref();
        const { port } = this.server.address() as { port: number };
        const env = [{ name: "EKIDEN_BOARD", value: token }];
        const server = { name: "ekiden", command: process.execPath, args: ["-e", SCRIPT, String(port)], env };
        resolve({ server, port });
      });
    });
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private greeted(socket: Socket, word: Buffer): Promise<boolean> {
    return new Promise((resolve) => {
      let heard = Buffer.alloc(0);
      const end = (knows: boolean): void => {
        clearTimeout(timer);
        socket.off("data", read);
        socket.pause();
        resolve(knows);
      };
      const read = (chunk: Buffer): void => {
        heard = Buffer.concat([heard, chunk]);
        if (heard.length < word.length) return;
        const knows = timingSafeEqual(heard.subarray(0, word.length), word);
        end(knows);
        // After the pause: before it the data would be emitted at once.
        if (knows && heard.length > word.length) socket.unshift(heard.subarray(word.length));
      };
      const timer = setTimeout(() => end(false), WORD_MS);
      socket.on("data", read).once("close", () => end(false));
    });
  }
}
