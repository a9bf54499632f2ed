import net from 'node:net';
import type { PackageReference } from '@portolan/plugin-api';
import { badGroupName, badWorkloadName } from './target-errors.ts';
import { findImageReference } from '@portolan/outbound';
import { quote } from '../parse/text-faults.ts';

const NAME = /^[A-Za-z0-9._-]+$/;
const LONGEST = 100;

export interface NamedWorkload {
  readonly name: string;
  /** Sentence about a name that had to be changed; undefined for an unchanged name. */
  readonly warning: string | undefined;
}

/**
 * Parses a workload name, and replaces invalid characters with `-`, with a warning. Throws ERR_SETTING for a
 * name without valid characters, one that is too long, and `.` or `..`.
 */
export function parseWorkloadName(text: string, place: string): NamedWorkload {
  if (text.length > LONGEST) throw badWorkloadName(place, text, `it has more than ${LONGEST} characters`);
  const name = replaceForeign(text);
  if (!/[A-Za-z0-9]/.test(name)) throw badWorkloadName(place, text, 'it has no letter and no digit');
  const warning = name === text ? undefined : `The workload is called ${name}: ${quote(text)} is no name.`;
  return { name, warning };
}

/** Returns a valid workload name unchanged. Throws ERR_SETTING. */
export function checkWorkloadName(text: string, place: string): string {
  const { warning } = parseWorkloadName(text, place);
  if (warning === undefined) return text;
  throw badWorkloadName(place, text, 'it has other characters than letters, digits, ".", "_" and "-"');
}

export function isWorkloadName(text: string): boolean {
  return NAME.test(text) && text.length <= LONGEST && /[A-Za-z0-9]/.test(text);
}

/** Parses a group name: lower-case letters, digits, `_`, `-`, and single inner spaces. Throws ERR_SETTING. */
export function parseGroupName(text: string, place: string): string {
  if (!/^[a-z0-9_-]+(?: [a-z0-9_-]+)*$/.test(text) || text.length > LONGEST) throw badGroupName(place, text);
  return text;
}

/**
 * Returns a workload name for an image: its last namespace and repository; without a usable one, `base` and
 * the time.
 */
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

/** Returns a workload name for a URL: the second-level label of the host, if it has one. */
export function nameOfUrl(url: URL): string {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const labels = host.split('.');
  const name = net.isIP(host) !== 0 ? host.replaceAll(/[.:]+/g, '-') : (labels.at(-2) ?? host);
  return orElse(replaceForeign(name), undefined, undefined);
}

/** Returns a workload name for a members file, `./desk.yaml`, or for a group. */
export function nameOfMembers(text: string): string {
  const base = text.replaceAll('\\', '/').split('/').at(-1) ?? text;
  return orElse(replaceForeign(base.replace(/\.(?:ya?ml|json)$/i, '')), undefined, undefined);
}

export function nameOfEntry(entry: string): string {
  return orElse(replaceForeign(entry.replaceAll(/[./]/g, '-')), undefined, undefined);
}

/** Returns the image name for a package, in lower case. */
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

/**
 * Returns the container name for a workload, or for a member of a virtual server, `WORKLOAD/MEMBER`. Engines
 * require two characters, the first a letter or digit.
 */
export function containerNameOf(workload: string): string {
  const name = workload.replace('/', '-member-');
  return /^[A-Za-z0-9][A-Za-z0-9_.-]+$/.test(name) ? name : `portolan-${name.replace(/^[^A-Za-z0-9]+/, '')}`;
}

function replaceForeign(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._-]/gu, '-');
}

/**
 * Returns the text as a name without leading or trailing `-` and `.`; without any letter or digit in it,
 * `base` and the time.
 */
function orElse(text: string, base: string | undefined, clock: (() => Date) | undefined): string {
  const name = text
    .replace(/^[-.]+/, '')
    .slice(0, LONGEST)
    .replace(/[-.]+$/, '');
  if (/[A-Za-z0-9]/.test(name)) return name;
  const seconds = clock === undefined ? '' : `-${Math.floor(clock().getTime() / 1000)}`;
  return `${base ?? 'portolan-container'}${seconds}`;
}
