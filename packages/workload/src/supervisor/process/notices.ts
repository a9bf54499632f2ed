import type { StateRecord } from './state-record.ts';

/** What `status` notes beside the state of a workload. Several may have something to say at once. */
export class Notices {
  readonly #record: Pick<StateRecord, 'note'>;
  readonly #said = new Map<string, string>();

  constructor(record: Pick<StateRecord, 'note'>) {
    this.#record = record;
  }

  /** Says it in place of what the same speaker has said before; an empty text takes that back, and nothing else. */
  say(speaker: string, text: string): void {
    if ((this.#said.get(speaker) ?? '') === text) return;
    if (text === '') this.#said.delete(speaker);
    else this.#said.set(speaker, text);
    const notice = [...this.#said.values()].join(' ');
    this.#record.note((state) => ({ ...state, notice }));
  }
}
