// The console of a gateway.
import * as approvals from "./approvals.js";
import "./banner.js";
import { run } from "./frame.js";
import * as phones from "./phones.js";

run({ phones, approvals });
