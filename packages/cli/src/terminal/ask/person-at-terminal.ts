import type { Person } from '@portolan/workload';
import { type AskingProcess } from './ask-user.ts';
import { printable } from '../printable.ts';

/** Properties of a terminal that may show a QR code. */
export interface PictureTerminal {
  /** Undefined or 0 if unknown. */
  readonly columns?: number | undefined;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Width of the light border, in modules. Some cameras do not find a code without it. */
const BORDER = 2;

/** Black on white in any colour theme, because some cameras do not read an inverted code. */
const [COLOURS, PLAIN] = ['\u001B[40;97m', '\u001B[0m'];

/**
 * Returns the lines of a QR code; none if the terminal is too narrow, or has no colours (no-color.org) or
 * block characters.
 */
export async function qrCode(text: string, terminal: PictureTerminal): Promise<readonly string[]> {
  if (!hasColours(terminal) || !hasBlocks(terminal) || text.length > MAX_CHARACTERS) return [];
  const { renderUnicodeCompact } = await import('uqr');
  const lines = renderUnicodeCompact(text, { border: BORDER }).split('\n');
  const width = lines[0]?.length ?? 0;
  if (width > (terminal.columns || USUAL_COLUMNS)) return [];
  return lines.map((line) => `${COLOURS}${line}${PLAIN}`);
}

const USUAL_COLUMNS = 80;

/** Maximum number of characters. A longer text makes a code that is wider than any terminal. */
const MAX_CHARACTERS = 1000;

function hasColours({ platform, environment }: PictureTerminal): boolean {
  const kind = environment['TERM'] ?? '';
  return (environment['NO_COLOR'] ?? '') === '' && kind !== 'dumb' && (kind !== '' || platform === 'win32');
}

/**
 * Returns whether the user's locale has block characters (POSIX, base definitions, 8.2). Returns true without
 * a locale.
 */
function hasBlocks({ environment }: PictureTerminal): boolean {
  const locale = ['LC_ALL', 'LC_CTYPE', 'LANG']
    .map((name) => environment[name] ?? '')
    .find((name) => name !== '');
  return locale === undefined || /utf-?8/i.test(locale);
}

/** Variables of which one is set on Linux when a browser can be shown. */
const DISPLAYS = ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER'] as const;

export interface PersonContext {
  readonly process: AskingProcess & { readonly platform: NodeJS.Platform };
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly print: (lines: readonly string[]) => void;
}

/**
 * Returns the functions that let the user at the terminal log in. They always print the login address, and
 * open a browser unless `BROWSER` is `none` or there is none. They show an address for another device as a QR
 * code too. An address that leads back to a port of this machine gets no QR code, because another device
 * cannot reach the port.
 */
export function personAtTerminal({ process, environment, print }: PersonContext): Person {
  const isThere = process.stdin.isTTY && process.stderr.isTTY;
  const hasBrowser = isThere && canOpen(process.platform, environment);
  return {
    isThere,
    hasBrowser,
    showLogin: async ({ url, code, opens, at, tokenFor, forWhat, isExtensible }) => {
      const where = code === undefined ? '' : `, and enter the code ${printable(code)}`;
      print([`Log in at ${printable(at)}; the token is for ${printable(tokenFor)}.`]);
      print([`Log in for ${printable(forWhat)} at this address${where}:`, '', `  ${printable(url)}`, '']);
      if (isThere && code !== undefined) {
        const { columns } = process.stderr;
        print(await qrCode(url, { columns, platform: process.platform, environment }));
      }
      const more = isExtensible
        ? 'Press Enter for five more minutes, Ctrl-C to cancel.'
        : 'Press Ctrl-C to cancel.';
      if (isThere) print([more]);
      if (opens) await openBrowser(url);
    },
    onMoreTime: (then) => {
      if (!isThere) return () => undefined;
      const more = (): void => print([`Waiting until ${timeOfDay(then())}.`]);
      process.stdin.on('data', more);
      process.stdin.resume();
      return () => {
        process.stdin.off('data', more);
        process.stdin.pause();
      };
    },
  };
}

function canOpen(platform: NodeJS.Platform, environment: PersonContext['environment']): boolean {
  if (environment['BROWSER'] === 'none') return false;
  return platform !== 'linux' || DISPLAYS.some((name) => (environment[name] ?? '') !== '');
}

/** Opens the browser. Ignores a failure, because the address is on the terminal. */
async function openBrowser(url: string): Promise<void> {
  try {
    const { default: open } = await import('open');
    const started = await open(url);
    started.once('error', () => undefined);
    started.unref();
  } catch {
    // ignored, because the address is on the terminal
  }
}

/** Formats a time of day in the local time zone. */
function timeOfDay(time: Date): string {
  return time.toLocaleTimeString('en-GB', { timeStyle: 'medium' });
}
