import { startTestIssuer } from '@portolan/plugin-testing';
import { randomFrom } from './generate.ts';

/** Caller with a token. */
export interface BenchCaller {
  readonly teams: ReadonlySet<string>;
  /** Header lines with the token. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Callers {
  /** Address of the issuer of the tokens. */
  readonly issuerUrl: string;
  readonly audience: string;
  /** Callers with one to three teams each. */
  readonly readers: readonly BenchCaller[];
  /** Caller who sees everything. */
  readonly admin: BenchCaller;
  /** Publishes for the teams without readers. */
  readonly publisher: BenchCaller;
  close(): Promise<void>;
}

/** Claims of all callers. */
export const EVERYBODY = { org: 'acme' } as const;
export const ADMIN_ROLE = 'admin';
export const PUBLISHER_ROLE = 'publisher';

const AUDIENCE = 'portolan-bench';
/** Lifetime of tokens in seconds, longer than any run. */
const TOKEN_SECONDS = 6 * 3600;
const MAX_TEAMS = 3;

/** Starts an issuer on loopback and issues tokens; the same callers in every run. */
export async function startCallers(
  count: number,
  teams: readonly string[],
  writers: readonly string[],
): Promise<Callers> {
  const issuer = await startTestIssuer({ audience: AUDIENCE });
  const random = randomFrom(count);
  const exp = Math.floor(Date.now() / 1000) + TOKEN_SECONDS;
  const caller = (sub: string, own: readonly string[], more: object = {}): BenchCaller => {
    const token = issuer.sign({ sub, exp, ...EVERYBODY, team: own, ...more });
    return { teams: new Set(own), headers: { Authorization: `Bearer ${token}` } };
  };
  return {
    issuerUrl: issuer.issuerUrl,
    audience: AUDIENCE,
    readers: Array.from({ length: count }, (_, at) => caller(`reader-${at}`, pickTeams(teams, random))),
    admin: caller('admin', [], { role: ADMIN_ROLE }),
    publisher: caller('publisher', writers, { role: PUBLISHER_ROLE }),
    close: () => issuer.close(),
  };
}

/** Returns one to three teams with equal probability. */
function pickTeams(teams: readonly string[], random: () => number): readonly string[] {
  const wanted = 1 + Math.floor(random() * MAX_TEAMS);
  const picked = new Set<string>();
  while (picked.size < wanted) {
    const team = teams[Math.floor(random() * teams.length)];
    if (team !== undefined) picked.add(team);
  }
  return [...picked];
}
