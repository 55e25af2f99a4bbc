// The console of one process.
import * as approvals from "./approvals.js";
import * as apps from "./apps.js";
import "./banner.js";
import * as doctor from "./doctor.js";
import { run } from "./frame.js";
import { stopControl } from "./held.js";
import * as phone from "./phone.js";
import * as settings from "./settings.js";
import * as steps from "./steps.js";
import * as timeline from "./timeline.js";
import * as tokens from "./tokens.js";

document.getElementById("stop").append(stopControl("", "Stop all agents"));
run({ phone, timeline, approvals, tokens, settings, apps, steps, doctor });
