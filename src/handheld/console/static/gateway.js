// The console of a gateway.
import * as approvals from "./approvals.js";
import "./banner.js";
import * as timeline from "./fleet_timeline.js";
import { run } from "./frame.js";
import * as phones from "./phones.js";

run({ phones, timeline, approvals });
