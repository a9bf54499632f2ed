import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type CurrentDefinitions,
  type Difference,
  DriftGuard,
  describeDifference,
  isHeldClass,
  respondFromBaseline,
} from '@portolan/lock';
import { type DriftEvent, isPortolanError, type RequestAtRest } from '@portolan/plugin-api';
import type { PlacedProxyMiddleware } from '@portolan/proxy';
import { codeOf, textOf } from '@portolan/run-spec';
import { lockFileOf } from '../../state/lock-place.ts';
import { type FolderWatch, watchFolder } from '../../state/watch-folder.ts';
import { readDefinitions } from '../definitions/read-definitions.ts';
import { startFailed } from '../supervise-errors.ts';
import type { DriftControl, Supervision } from '../supervision.ts';
import { driftRefused, nameDifferences, workloadNotLocked } from './drift-errors.ts';
import { guardMiddleware } from './guard-middleware.ts';
import { type DriftRule, readDriftRule } from './read-drift-rule.ts';

/** Name of the notices about changed definitions. */
const SPEAKER = 'drift';

/** Minimum time in milliseconds between two readings because of notifications of changed lists. */
const MIN_READING_MS = 2000;

/**
 * Guard of a running workload: compares its messages with what was approved, reports differences, and follows the lock
 * file, so that an approval takes effect at once.
 */
export class WorkloadDrift implements DriftControl {
  readonly #work: Supervision;
  readonly #guard: DriftGuard;
  #rule: DriftRule;
  /** Stamp of the lock file that was read last; see `stampOf`. */
  #stamp: string | undefined;
  /** Held items when the notice was written last. */
  #noticed: readonly string[] = [];
  #watch: FolderWatch | undefined;
  #last: Promise<void> = Promise.resolve();
  #reading: NodeJS.Timeout | undefined;
  #listeners: readonly PlacedProxyMiddleware[] = [];

  private constructor(work: Supervision, rule: DriftRule) {
    this.#work = work;
    this.#rule = rule;
    this.#guard = new DriftGuard(rule, {
      found: (difference, isHeld) => this.#found(difference, isHeld),
    });
  }

  /** Opens the drift guard of a workload. Throws the errors of `readDriftRule`. */
  static async open(work: Supervision): Promise<WorkloadDrift> {
    const stamp = await stampOf(lockFileOf(work.config, work.context.directories));
    const drift = new WorkloadDrift(work, await readDriftRule(work.config, work.context.directories));
    drift.#stamp = stamp;
    drift.#watch = watchFolder({
      folder: path.dirname(drift.#rule.file),
      isWatched: (name) => name === path.basename(drift.#rule.file),
      changed: () => drift.#inTurn(() => drift.#takeLockFile()),
    });
    work.opened.push('drift guard', () => drift.#close());
    return drift;
  }

  middleware(policies: readonly PlacedProxyMiddleware[]): readonly PlacedProxyMiddleware[] {
    this.#listeners = policies.filter(({ instance }) => instance.onDrift !== undefined);
    return guardMiddleware(this.#guard, () => this.#readSoon());
  }

  /**
   * Compares what the server has with what was approved, before the first client. Without a lock and an entry with
   * definitions, does nothing. Throws ERR_DRIFT_REFUSED when changes are refused, and then also when the server cannot be read.
   */
  async check(): Promise<void> {
    const { baseline, reaction } = this.#rule;
    if (baseline === undefined || reaction === 'warn') return;
    await this.#compare();
    this.#requireAllowed();
  }

  /** Returns the response to a request from what was approved, for a server that does not run. */
  respond(request: RequestAtRest): string | undefined {
    const { isLocked, reaction } = this.#rule;
    const isRead = (this.#work.reads ?? 0) > 0;
    if (!isLocked || reaction === 'warn' || isRead) return undefined;
    return respondFromBaseline(this.#guard.offered, request);
  }

  /** Compares like `check` after a request has started the server. Ends the workload when changes are refused. */
  compareStarted(): void {
    const { lifecycle } = this.#work;
    const before = this.#heldItems();
    this.#inTurn(async () => {
      try {
        await this.check();
      } catch (error) {
        if (lifecycle.isOver) return;
        const reason = isPortolanError(error) ? error : startFailed(this.#work.config.name, error);
        lifecycle.finish({ how: 'failed', error: reason });
      }
      if (!isDeepStrictEqual(this.#heldItems(), before)) this.#work.proxy?.announceListChanges();
    });
  }

  async #read(): Promise<CurrentDefinitions | undefined> {
    const { config, context, lifecycle, output, server } = this.#work;
    // A comparison does not start an idle server. The next start, or the next list, is compared instead.
    if (server?.isIdle === true) return undefined;
    try {
      return await readDefinitions(this.#work, lifecycle.signal);
    } catch (error) {
      if (lifecycle.isOver || this.#rule.reaction === 'refuse') throw error;
      const text = `the definitions of ${config.name} are compared later, when clients list them: ${textOf(error)}`;
      context.logger.info({ err: error }, text);
      output.remark(text);
      return undefined;
    }
  }

  /** Reads the server and compares. Changes the notice only if other items are held than it names. */
  async #compare(): Promise<void> {
    const current = await this.#read();
    if (current === undefined) return;
    this.#guard.check(current);
    if (!isDeepStrictEqual(this.#heldItems(), this.#noticed)) this.#notice();
  }

  #heldItems(): readonly string[] {
    const held = this.#guard.differences.filter(isHeldClass);
    return held.map(({ kind, name }) => `${kind} ${name}`).toSorted();
  }

  #requireAllowed(): void {
    const refused = this.#guard.differences.filter(isHeldClass);
    if (this.#rule.reaction === 'refuse' && refused.length > 0)
      throw driftRefused(this.#work.config.name, refused);
  }

  #found(difference: Difference, isHeld: boolean): void {
    const { config, context, lifecycle, output } = this.#work;
    const text = `${describeDifference(difference)}${isHeld ? '; clients do not get it until it is approved' : ''}`;
    context.logger.warn({ workload: config.name, class: difference.class }, text);
    output.remark(text);
    this.#announce(isHeld ? 'drift_held' : 'drift_detected', difference);
    this.#notice();
    if (this.#rule.reaction === 'refuse' && isHeldClass(difference) && !lifecycle.isStarting)
      lifecycle.finish({ how: 'failed', error: driftRefused(config.name, [difference]) });
  }

  #announce(type: DriftEvent['type'], { kind, name, change, class: found, fields }: Difference): void {
    const event = { type, kind, name, change, class: found, fields: fields.map(({ pointer }) => pointer) };
    for (const { name: middleware, instance } of this.#listeners) {
      try {
        instance.onDrift?.(event);
      } catch (error) {
        this.#work.context.logger.error({ err: error, middleware }, 'onDrift of a middleware failed');
      }
    }
  }

  #notice(): void {
    const { config, notices } = this.#work;
    this.#noticed = this.#heldItems();
    const all = this.#guard.differences.filter((one) => one.class !== 'none');
    const held = all.filter(isHeldClass);
    const shown = held.length > 0 ? held : all;
    const { isLocked, baseline } = this.#rule;
    const changed = isLocked
      ? 'Changed since approved'
      : baseline === undefined
        ? 'Changed since the start'
        : 'Differs from the registry entry';
    const what = this.#guard.isHolding && held.length > 0 ? 'Held until approved' : changed;
    const hint = isLocked ? ` See \`portolan lock diff ${config.name}\`.` : '';
    notices.say(SPEAKER, shown.length === 0 ? '' : `${what}: ${nameDifferences(shown)}.${hint}`);
  }

  #readSoon(): void {
    const { isLocked, baseline } = this.#rule;
    const isCompared = isLocked || (this.#guard.isHolding && baseline !== undefined);
    if (!isCompared || this.#reading !== undefined) return;
    this.#reading = setTimeout(() => {
      this.#inTurn(() => {
        // Not before: a server could announce changes faster than it lets them be read, and delay approvals forever.
        this.#reading = undefined;
        return this.#compare();
      });
    }, MIN_READING_MS).unref();
  }

  async #takeLockFile(): Promise<void> {
    const before = this.#rule;
    const stamp = await stampOf(before.file);
    if (stamp === this.#stamp) return;
    const rule = await readDriftRule(this.#work.config, this.#work.context.directories);
    this.#stamp = stamp;
    if (isDeepStrictEqual(rule, before)) {
      // The file may have been damaged or lost before.
      this.#notice();
      return;
    }
    // A checkout of git removes the file for a moment, and a lost file must not open what was held.
    if (before.isLocked && !rule.isLocked) throw workloadNotLocked(this.#work.config.name, before.file);
    const held = this.#guard.differences.filter(isHeldClass);
    this.#rule = rule;
    this.#guard.replace(rule);
    const current = rule.isLocked ? await this.#read() : undefined;
    if (current !== undefined) this.#guard.check(current);
    const still = new Set(this.#guard.differences.map(({ kind, name }) => `${kind} ${name}`));
    for (const one of held) if (!still.has(`${one.kind} ${one.name}`)) this.#announce('drift_approved', one);
    this.#notice();
    this.#work.proxy?.announceListChanges();
  }

  #inTurn(work: () => Promise<void>): void {
    const { context, lifecycle, notices } = this.#work;
    this.#last = this.#last.then(work).catch((error: unknown) => {
      if (lifecycle.isOver) return;
      context.logger.warn({ err: error }, 'a change of the lock file or of the server cannot be compared');
      notices.say(SPEAKER, `The earlier approvals remain in force: ${textOf(error)}`);
    });
  }

  async #close(): Promise<void> {
    clearTimeout(this.#reading);
    this.#watch?.close();
    await this.#last;
  }
}

/** Returns a text that changes with a file; empty for a file that does not exist. */
async function stampOf(file: string): Promise<string> {
  try {
    const { mtimeNs, size, ino } = await stat(file, { bigint: true });
    return `${mtimeNs} ${size} ${ino}`;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}
