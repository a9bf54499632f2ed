/** What was not delivered, and to whom nothing was answered, since the proxy was opened. */
export interface Counts {
  /** Responses of a server that nobody waited for: late, repeated or made up. */
  droppedAnswers: number;
  /** Responses of a client to a request that no server waits for. */
  droppedClientAnswers: number;
  /** Notifications that had no receiver, or whose receiver read too slowly. */
  droppedNotifications: number;
  /** What a server wrote that is no message. */
  skippedLines: number;
  /** Requests of servers that no client was asked. */
  refusedServerRequests: number;
}

export function createCounts(): Counts {
  return {
    droppedAnswers: 0,
    droppedClientAnswers: 0,
    droppedNotifications: 0,
    skippedLines: 0,
    refusedServerRequests: 0,
  };
}
