import type { Person } from '@portolan/workload';
import { type AskingProcess } from './ask-user.ts';
import { printable } from '../printable.ts';
import { qrCode } from './qr-code.ts';

/** Where a graphical program can be shown on Linux. */
const DISPLAYS = ['DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER'] as const;

export interface PersonSurroundings {
  readonly process: AskingProcess & { readonly platform: NodeJS.Platform };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Writes lines that stay. */
  readonly print: (lines: readonly string[]) => void;
}

/**
 * Whoever sits at the terminal. The address of a login is written in any case,
 * and a browser opened where there is one: `BROWSER=none` says that there is none.
 * An address for another device is shown as a QR code too; one that leads back to
 * a port of this machine is not, since the other device has no such port.
 */
export function personAtTerminal({ process, environment, print }: PersonSurroundings): Person {
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
        ? 'Press Enter for five more minutes, Ctrl-C to give up.'
        : 'Ctrl-C gives up.';
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

function canOpen(platform: NodeJS.Platform, environment: PersonSurroundings['environment']): boolean {
  if (environment['BROWSER'] === 'none') return false;
  return platform !== 'linux' || DISPLAYS.some((name) => (environment[name] ?? '') !== '');
}

/** A browser that does not start is no failure: the address stands on the terminal. */
async function openBrowser(url: string): Promise<void> {
  try {
    const { default: open } = await import('open');
    const started = await open(url);
    started.once('error', () => undefined);
    started.unref();
  } catch {
    // As above.
  }
}

/** As the clock on the wall shows it. */
function timeOfDay(time: Date): string {
  return time.toLocaleTimeString('en-GB', { timeStyle: 'medium' });
}
