import type { StateRecord } from './state-record.ts';

/**
 * Notices in the status of a workload. Each part of the program (`speaker`) has at most one notice, and the
 * status shows all notices.
 */
export class Notices {
  readonly #record: Pick<StateRecord, 'note'>;
  readonly #notices = new Map<string, string>();

  constructor(record: Pick<StateRecord, 'note'>) {
    this.#record = record;
  }

  /** Sets the notice of one part of the program. An empty text removes that notice. */
  say(speaker: string, text: string): void {
    if ((this.#notices.get(speaker) ?? '') === text) return;
    if (text === '') this.#notices.delete(speaker);
    else this.#notices.set(speaker, text);
    const notice = [...this.#notices.values()].join(' ');
    this.#record.note((state) => ({ ...state, notice }));
  }
}
