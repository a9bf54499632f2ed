import v8 from 'node:v8';

/**
 * Lets V8 enlarge the young generation when more young objects are alive. Supervisors start with a growth
 * factor of 1, because loading code would enlarge the young generation and an idle process would keep it so.
 * Calls with large messages need the room (decision 34).
 */
export function giveRoomForCalls(): void {
  v8.setFlagsFromString('--semi-space-growth-factor=2');
}
