/** The page begins here. */
import { render } from "preact";
import { app } from "./app.ts";
import { Shell } from "./shell.tsx";
import { followTheme } from "./theme.ts";
import { VIEW_NAMES } from "./views/table.ts";
import "./style/scale.css";
import "./style/frame.css";
import "./style/board.css";
import "./style/text.css";
import "./style/views.css";
import "./style/outcome.css";
import "./style/narrow.css";

followTheme();
render(<Shell />, document.getElementById("app") as HTMLElement);
void app.start(VIEW_NAMES);
