// The floor of a start: node, and one request. By node:http, because the first use of `fetch` alone costs more than all of this.
import { request } from "node:http";

request(`${process.argv[2]}/v1/messages`, { method: "POST" }, (response) => response.resume()).end("{}");
