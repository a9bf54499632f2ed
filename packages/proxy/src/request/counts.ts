/** Counters of messages that were dropped or refused since the proxy was opened. */
export interface Counts {
  /** Responses of a server without a pending request: late, repeated or made up. */
  droppedAnswers: number;
  /** Responses of a client without a pending request of the server. */
  droppedClientAnswers: number;
  /** Notifications without a receiver, or whose receiver reads too slowly. */
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
