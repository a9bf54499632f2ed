import type { EgressEvent } from '@portolan/isolation';
import { BoundedLog } from './bounded-log.ts';
import type { LogFiles } from '../../state/log-files.ts';
import { stampLine } from '../../state/log-line.ts';
import { findMissingPart, mergeMissingParts, type MissingPart } from './missing-part.ts';
import { namesRefusedWrite } from '../server/refused-write.ts';

const KEPT_LINES = 30;
const MAX_LINE_LENGTH = 1000;
/**
 * Maximum number of remarks in one log. Without it, a server that fails with a different path each time would
 * cause endless remarks.
 */
const MAX_REMARKS = 20;
const MEBIBYTE = 1024 * 1024;

/** Writes the output of a server to log files, and keeps the last lines in memory. */
export class ServerOutput {
  readonly #server: BoundedLog;
  readonly #network: BoundedLog;
  readonly #clock: () => Date;
  readonly #onRefusedWrite: (text: string) => void;
  readonly #onLine: (text: string) => void;
  readonly #mask: (text: string) => string;
  readonly #reported = new Set<string>();
  #last: string[] = [];
  #missing: MissingPart | undefined;

  /** `onRefusedWrite` receives each line about a write that a read-only file system refused. */
  constructor(
    files: Pick<LogFiles, 'server' | 'network'>,
    clock: () => Date,
    onRefusedWrite: (text: string) => void = () => undefined,
    onLine: (text: string) => void = () => undefined,
    mask: (text: string) => string = (text) => text,
  ) {
    this.#server = new BoundedLog({ file: files.server, maxBytes: 8 * MEBIBYTE });
    this.#network = new BoundedLog({ file: files.network, maxBytes: 4 * MEBIBYTE });
    this.#clock = clock;
    this.#onRefusedWrite = onRefusedWrite;
    this.#onLine = onLine;
    this.#mask = mask;
  }

  /** Logs a line of the server. `who` identifies the process when there are several. */
  line(written: string, who = ''): void {
    const text = this.#mask(written);
    this.#last.push(text.slice(0, MAX_LINE_LENGTH));
    if (this.#last.length > KEPT_LINES) this.#last = this.#last.slice(-KEPT_LINES / 2);
    const message = who === '' ? text : `[${who}] ${text}`;
    this.#server.write(stampLine(message, this.#clock()));
    this.#onLine(message);
    if (namesRefusedWrite(text)) this.#onRefusedWrite(text);
    const missing = findMissingPart(text);
    if (missing !== undefined) this.#missing = mergeMissingParts(this.#missing, missing);
  }

  /** Adds a remark of Portolan to the server's log. The same text is added only once. */
  remark(text: string): void {
    if (this.#reported.has(text) || this.#reported.size >= MAX_REMARKS) return;
    this.#reported.add(text);
    this.#server.write(stampLine(`[portolan: ${text}]`, this.#clock()));
  }

  egress(event: EgressEvent): void {
    this.#network.write(JSON.stringify({ time: this.#clock().toISOString(), ...event }));
  }

  /** Last lines of the output, oldest first. */
  get last(): readonly string[] {
    return this.#last;
  }

  /** Part that the image lacks, according to any line of the output; undefined if no line names one. */
  get missing(): MissingPart | undefined {
    return this.#missing;
  }

  forgetLast(): void {
    this.#last = [];
    this.#missing = undefined;
  }

  async close(): Promise<void> {
    await Promise.all([this.#server.close(), this.#network.close()]);
  }
}
