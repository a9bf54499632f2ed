import net from 'node:net';
import type { PackageReference } from '@portolan/plugin-api';
import { badGroupName, badWorkloadName } from './target-errors.ts';
import { findImageReference } from '@portolan/outbound';
import { quote } from '../parse/text-faults.ts';

const NAME = /^[A-Za-z0-9._-]+$/;
const LONGEST = 100;

export interface NamedWorkload {
  readonly name: string;
  /** A sentence when the name differs from the requested one. */
  readonly warning: string | undefined;
}

/**
 * Replaces invalid characters with `-`, with a warning. Throws ERR_SETTING when nothing usable is left, when
 * it is too long, or when it is `.` or `..`.
 */
export function parseWorkloadName(text: string, place: string): NamedWorkload {
  if (text.length > LONGEST) throw badWorkloadName(place, text, `it has more than ${LONGEST} characters`);
  const name = replaceForeign(text);
  if (!/[A-Za-z0-9]/.test(name)) throw badWorkloadName(place, text, 'it has no letter and no digit');
  const warning = name === text ? undefined : `The workload is called ${name}: ${quote(text)} is no name.`;
  return { name, warning };
}

/** Throws ERR_SETTING. */
export function checkWorkloadName(text: string, place: string): string {
  const { warning } = parseWorkloadName(text, place);
  if (warning === undefined) return text;
  throw badWorkloadName(place, text, 'it has other characters than letters, digits, ".", "_" and "-"');
}

export function isWorkloadName(text: string): boolean {
  return NAME.test(text) && text.length <= LONGEST && /[A-Za-z0-9]/.test(text);
}

/** Accepts lower-case letters, digits, `_`, `-`, and single inner spaces. Throws ERR_SETTING. */
export function parseGroupName(text: string, place: string): string {
  if (!/^[a-z0-9_-]+(?: [a-z0-9_-]+)*$/.test(text) || text.length > LONGEST) throw badGroupName(place, text);
  return text;
}

/** Joins last namespace and repository. Otherwise `base` and the time. */
export function nameOfImage(reference: string, clock: () => Date, base = 'workload'): string {
  const parts = findImageReference(reference)?.repository.split('/').slice(-2) ?? [];
  return orElse(parts.join('-').replaceAll(/[^A-Za-z0-9]+/g, '-'), base, clock);
}

/** Returns a workload name for a package: `npx://@acme/notes-mcp@2.1.0` yields `acme-notes-mcp-2-1-0`. */
export function nameOfPackage(text: string): string {
  const name = text
    .replace(/^\.{1,2}\//, '')
    .replaceAll(/[/@.]/g, '-')
    .replace(/^-/, '');
  return orElse(replaceForeign(name), undefined, undefined);
}

/** Uses the second-level label of the host, if any. */
export function nameOfUrl(url: URL): string {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const labels = host.split('.');
  const name = net.isIP(host) !== 0 ? host.replaceAll(/[.:]+/g, '-') : (labels.at(-2) ?? host);
  return orElse(replaceForeign(name), undefined, undefined);
}

export function nameOfEntry(entry: string): string {
  return orElse(replaceForeign(entry.replaceAll(/[./]/g, '-')), undefined, undefined);
}

/** Returns lower case. */
export function imageNameOfPackage(scheme: string, reference: PackageReference): string {
  const text =
    reference.from === 'folder'
      ? reference.path
      : `${reference.name}${reference.version === undefined ? '' : `@${reference.version}`}`;
  const part = nameOfPackage(text)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return `portolanlocal/${scheme}-${part.replace(/^-+|-+$/g, '')}`;
}

/** Engines require two characters, the first a letter or digit. */
export function containerNameOf(name: string): string {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]+$/.test(name) ? name : `portolan-${name.replace(/^[^A-Za-z0-9]+/, '')}`;
}

function replaceForeign(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._-]/gu, '-');
}

/** Uses the base when no letter or digit is left. */
function orElse(text: string, base: string | undefined, clock: (() => Date) | undefined): string {
  const name = text
    .replace(/^[-.]+/, '')
    .slice(0, LONGEST)
    .replace(/[-.]+$/, '');
  if (/[A-Za-z0-9]/.test(name)) return name;
  const seconds = clock === undefined ? '' : `-${Math.floor(clock().getTime() / 1000)}`;
  return `${base ?? 'portolan-container'}${seconds}`;
}
