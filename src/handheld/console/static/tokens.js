import { el } from "./api.js";

export async function open(main) {
  main.append(el("h2", {}, "Tokens"));
}
