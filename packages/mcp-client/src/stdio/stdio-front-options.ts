import type { Readable, Writable } from 'node:stream';

/** Where the proxy of a workload is reached, which may change while somebody speaks to it. */
export interface FrontTarget {
  readonly url: URL;
  readonly transport: 'streamable-http' | 'sse';
  /** What stands before the message address of an event stream for clients outside, and is not ours. */
  readonly endpointPrefix: string;
  /** Credentials, if any. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface StdioFrontOptions {
  /** Messages of the client, one a line. */
  readonly input: Readable;
  /** Messages for the client, and nothing else. */
  readonly output: Writable;
  /**
   * Where the workload is now, asked anew when it does not answer there any
   * more. An error of class `busy` says that it comes soon.
   */
  readonly findTarget: () => Promise<FrontTarget>;
  /** What it is called in messages. */
  readonly name: string;
  /** Says something to people. */
  readonly tell: (line: string) => void;
  /** Ends it, as the end of the input does. */
  readonly signal: AbortSignal;
  /** Time between two attempts to reach it, at first. */
  readonly retryMs?: number;
  /** How long answers are waited for when the input has ended: clients that leave wait about two seconds. */
  readonly graceMs?: number;
  /** How long a request waits for a workload that is about to come. */
  readonly patienceMs?: number;
  /** How long a request is sent again while responses ask for a retry, as while the server starts. */
  readonly startTimeoutMs?: number;
}

/** Most bytes of one message, both ways, as the proxy has it. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
