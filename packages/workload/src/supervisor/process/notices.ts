import type { StateRecord } from './state-record.ts';

/** Notices in the status of a workload. Each speaker has one, and the status shows all of them. */
export class Notices {
  readonly #record: Pick<StateRecord, 'note'>;
  readonly #said = new Map<string, string>();

  constructor(record: Pick<StateRecord, 'note'>) {
    this.#record = record;
  }

  /** Replaces the notice of this speaker; an empty text removes it. */
  say(speaker: string, text: string): void {
    if ((this.#said.get(speaker) ?? '') === text) return;
    if (text === '') this.#said.delete(speaker);
    else this.#said.set(speaker, text);
    const notice = [...this.#said.values()].join(' ');
    this.#record.note((state) => ({ ...state, notice }));
  }
}
