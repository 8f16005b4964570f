/** Everything for WebSockets, which a program loads with the first one. */
export { answerSession } from "../../core/answer/session/answer-socket.ts";
export { createSocketConnector } from "../upstream/connect-socket.ts";
export { takeSocket } from "./take-socket.ts";
