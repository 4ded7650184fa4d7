export type { Handler, HandlerLogger, ProcessContext } from './context.js';
export type { ClaimRequest, Delivery, DeliverySource, Rejection } from './delivery.js';
export type { DeadLetter, DeadLetters, Engine, EngineHealth, LoopTarget } from './engine.js';
export type { Message } from './message.js';
export type { UpkeepReport, UpkeepTask } from './upkeep.js';
