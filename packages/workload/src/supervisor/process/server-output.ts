import type { EgressEvent } from '@portolan/isolation';
import { BoundedLog } from './bounded-log.ts';
import type { LogFiles } from '../../state/log-files.ts';
import { stampLine } from '../../state/log-line.ts';
import { saysReadOnly } from '../server/refused-write.ts';

const KEPT_LINES = 30;
const MAX_LINE_LENGTH = 1000;
/** A server may fail at another place each time. */
const MAX_REMARKS = 20;
const MEBIBYTE = 1024 * 1024;

/** What a workload's server writes and asks for: kept in files, and the last lines at hand. */
export class ServerOutput {
  readonly #server: BoundedLog;
  readonly #network: BoundedLog;
  readonly #clock: () => Date;
  readonly #onRefusedWrite: (text: string) => void;
  readonly #onLine: (text: string) => void;
  readonly #mask: (text: string) => string;
  readonly #told = new Set<string>();
  #last: string[] = [];

  /** `onRefusedWrite` hears each line that says that the server may not write, `onLine` every line; `mask` takes secrets out of lines. */
  constructor(
    files: Pick<LogFiles, 'server' | 'network'>,
    clock: () => Date,
    onRefusedWrite: (text: string) => void = () => undefined,
    onLine: (text: string) => void = () => undefined,
    mask: (text: string) => string = (text) => text,
  ) {
    this.#server = new BoundedLog({ file: files.server, mostBytes: 8 * MEBIBYTE });
    this.#network = new BoundedLog({ file: files.network, mostBytes: 4 * MEBIBYTE });
    this.#clock = clock;
    this.#onRefusedWrite = onRefusedWrite;
    this.#onLine = onLine;
    this.#mask = mask;
  }

  /** A line of the server; `who` tells its processes apart where there are several. */
  line(written: string, who = ''): void {
    const text = this.#mask(written);
    this.#last.push(text.slice(0, MAX_LINE_LENGTH));
    if (this.#last.length > KEPT_LINES) this.#last = this.#last.slice(-KEPT_LINES / 2);
    const told = who === '' ? text : `[${who}] ${text}`;
    this.#server.write(stampLine(told, this.#clock()));
    this.#onLine(told);
    if (saysReadOnly(text)) this.#onRefusedWrite(text);
  }

  /** A sentence of ours between the server's lines; the same one stands there once. */
  remark(text: string): void {
    if (this.#told.has(text) || this.#told.size >= MAX_REMARKS) return;
    this.#told.add(text);
    this.#server.write(stampLine(`[portolan: ${text}]`, this.#clock()));
  }

  egress(event: EgressEvent): void {
    this.#network.write(JSON.stringify({ time: this.#clock().toISOString(), ...event }));
  }

  /** What was written last, oldest first. */
  get last(): readonly string[] {
    return this.#last;
  }

  /** What was written so far is not the last of what comes now. */
  forgetLast(): void {
    this.#last = [];
  }

  /** Whether the server says that it cannot write. */
  get saysReadOnly(): boolean {
    return this.#last.some(saysReadOnly);
  }

  async close(): Promise<void> {
    await Promise.all([this.#server.close(), this.#network.close()]);
  }
}
