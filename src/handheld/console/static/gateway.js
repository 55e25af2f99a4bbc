// The console of a gateway.
import { run } from "./frame.js";
import * as phones from "./phones.js";

run({ phones });
