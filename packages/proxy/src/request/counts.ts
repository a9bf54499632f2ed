export interface Counts {
  /** Late, repeated or made-up responses of a server. */
  droppedAnswers: number;
  /** Responses of a client that match no request of the server. */
  droppedClientAnswers: number;
  /** Without a receiver, or its receiver reads too slowly. */
  droppedNotifications: number;
  skippedLines: number;
  /** Requests of servers that no client received or responded to. */
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
