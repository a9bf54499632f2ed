import type { EntryType, SkippedEntry, SourceEntry } from '@portolan/plugin-api';
import {
  catalogueMemberOfWrongType,
  catalogueMemberTwice,
  catalogueNotAnObject,
  catalogueOfBothFormats,
  catalogueVersionUnreadable,
  catalogueWithoutLists,
} from '../errors.ts';
import { pathOfMember, quote } from '../json-value.ts';
import { convertLegacyServer, legacyEntry } from './convert-legacy-server.ts';
import type { JsonPosition } from './json-position.ts';
import type { Handling, JsonListener, ScanLimits, Taken, ValueKind } from './json-scanner.ts';

type Level =
  | { readonly is: 'document' }
  | { readonly is: 'data' }
  | { readonly is: 'list'; readonly path: string; readonly type: EntryType }
  | { readonly is: 'legacy map'; readonly path: string };

const LISTS: ReadonlyMap<string, EntryType> = new Map([
  ['servers', 'server'],
  ['skills', 'skill'],
  ['plugins', 'plugin'],
]);
const LEGACY_MAPS: readonly string[] = ['servers', 'remote_servers'];

/**
 * Finds the entries of a catalogue. The upstream format has a `data` object with lists; the legacy format has
 * top-level maps.
 */
export class CatalogueLayout implements JsonListener {
  readonly #limits: ScanLimits;
  readonly #levels: Level[] = [];
  readonly #entered = new Set<string>();
  #entries: (SourceEntry | SkippedEntry)[] = [];
  #path = '';
  #legacyKey = '';
  #wrongType: { readonly member: string; readonly kind: ValueKind } | undefined;

  constructor(limits: ScanLimits) {
    this.#limits = limits;
  }

  drain(): readonly (SourceEntry | SkippedEntry)[] {
    const matches = this.#entries;
    this.#entries = [];
    return matches;
  }

  /** Throws ERR_CATALOGUE_FORMAT when the document was not a catalogue. */
  end(): void {
    if ([...this.#entered].some((path) => path !== 'data')) return;
    if (this.#wrongType === undefined) throw catalogueWithoutLists();
    const { member, kind } = this.#wrongType;
    const expected =
      member === 'data' ? 'an object with lists' : 'a map of entries by name, or lists under `data`';
    throw catalogueMemberOfWrongType(member, printKind(kind), expected);
  }

  begin(kind: ValueKind, key: string | number | undefined, place: () => JsonPosition): Handling {
    const level = this.#levels.at(-1);
    if (level === undefined) {
      if (kind !== 'object') throw catalogueNotAnObject(printKind(kind));
      this.#levels.push({ is: 'document' });
      return 'enter';
    }
    if (level.is === 'document') return this.#beginAtTop(kind, String(key), place);
    if (level.is === 'data') return this.#beginInData(kind, String(key), place);
    this.#path = pathOfMember(level.path, key ?? 0);
    this.#legacyKey = String(key);
    return 'take';
  }

  take(taken: Taken): void {
    const level = this.#levels.at(-1);
    if (level?.is !== 'list' && level?.is !== 'legacy map') checkVersion(taken);
    else if (!taken.ok) this.#entries.push(this.#skip(taken.because, level));
    else if (level.is === 'list')
      this.#entries.push({ type: level.type, document: taken.value, place: this.#path });
    else this.#entries.push(convertLegacyServer(this.#legacyKey, taken.value, this.#path));
  }

  leave(): void {
    this.#levels.pop();
  }

  #beginAtTop(kind: ValueKind, key: string, place: () => JsonPosition): Handling {
    if (key === 'version') return 'take';
    if (key === 'data') {
      if (kind !== 'object') return this.#passWrongType(key, kind);
      if (LEGACY_MAPS.some((map) => this.#entered.has(map))) throw catalogueOfBothFormats(place());
      return this.#enter({ is: 'data' }, key, place);
    }
    if (!LEGACY_MAPS.includes(key) || this.#entered.has('data')) return 'pass';
    if (kind !== 'object') return this.#passWrongType(key, kind);
    return this.#enter({ is: 'legacy map', path: key }, key, place);
  }

  #beginInData(kind: ValueKind, key: string, place: () => JsonPosition): Handling {
    const type = LISTS.get(key);
    // Some writers serialize an empty list as `null`.
    if (type === undefined || kind === 'null') return 'pass';
    const path = `data.${key}`;
    if (kind !== 'array')
      throw catalogueMemberOfWrongType(path, printKind(kind), 'a list of entries', place());
    return this.#enter({ is: 'list', path, type }, path, place);
  }

  #enter(level: Level, path: string, place: () => JsonPosition): Handling {
    if (this.#entered.has(path)) throw catalogueMemberTwice(path, place());
    this.#entered.add(path);
    this.#levels.push(level);
    return 'enter';
  }

  /**
   * Records a member of the wrong type. It is reported at the end, because another member may make the
   * document a catalogue.
   */
  #passWrongType(member: string, kind: ValueKind): Handling {
    this.#wrongType ??= { member, kind };
    return 'pass';
  }

  #skip(because: 'too large' | 'too deep' | 'not UTF-8', { is }: Level): SkippedEntry {
    const mebibytes = this.#limits.bytes / 1024 / 1024;
    const sentences = {
      'too large': `The entry is larger than ${mebibytes} MiB.`,
      'too deep': `The entry is nested deeper than ${this.#limits.depth} levels.`,
      'not UTF-8': 'The entry holds bytes that are not UTF-8.',
    };
    const skipped = { skipped: this.#path, because: sentences[because] };
    return is === 'legacy map' ? { ...skipped, entry: legacyEntry(this.#legacyKey) } : skipped;
  }
}

function checkVersion(taken: Taken): void {
  const version = taken.ok ? taken.value : undefined;
  if (typeof version === 'string' && /^\d+\.\d+\.\d+$/.test(version)) return;
  throw catalogueVersionUnreadable(taken.ok ? quote(version) : 'unreadable');
}

function printKind(kind: ValueKind): string {
  if (kind === 'null') return kind;
  return kind === 'array' || kind === 'object' ? `an ${kind}` : `a ${kind}`;
}
