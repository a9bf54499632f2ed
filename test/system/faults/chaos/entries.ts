import { type Answer, type RegistryUnderTest, serverDocument } from '../../../support/registry-under-test.ts';
import { LIST, OF_CONFIGURATION, type Org, ORGS, type Scene } from './scene.ts';

/**
 * An entry with its versions by their last number, lowest first, and its owner. Without versions, it does not
 * exist.
 */
export interface Entry {
  readonly versions: readonly number[];
  readonly org: Org;
}

interface Page {
  readonly servers: readonly { readonly server: { readonly name: string; readonly version: string } }[];
  readonly metadata: { readonly nextCursor?: string };
}

interface Asking {
  readonly server?: RegistryUnderTest;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Change {
  readonly after: Entry;
  readonly send: () => Promise<Answer | undefined>;
}

/**
 * Entries that are published, changed, read and deleted while the database fails and recovers. Only one
 * client changes each entry, and it stops at the first change without a 2xx response. Therefore at most two
 * states are possible.
 */
export class Entries {
  /** Possible states of each entry after the faults. */
  readonly mayBe = new Map<string, readonly Entry[]>();
  readonly #scene: Scene;
  /** Entries that no client changes any more, so that their owner always has to see them. */
  readonly #settled = new Map<string, Org>(OF_CONFIGURATION);
  /** Responses by caller and request, with their tags. */
  readonly #pages = new Map<string, { readonly etag: string; readonly text: string }>();
  #named = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /**
   * Publishes one entry, changes it several times, and checks after each change that every server shows it.
   */
  async publishOne(): Promise<void> {
    const { random } = this.#scene;
    const name = `org.made/e${this.#named++}`;
    let entry: Entry = { versions: [], org: random.pick(ORGS) };
    this.mayBe.set(name, [entry]);
    let number = 1;
    for (let left = 2 + random.below(5); left > 0; left -= 1) {
      const change = this.#change(name, entry, number++);
      const answer = await change.send();
      if (answer === undefined) return void this.mayBe.set(name, [entry, change.after]);
      if (answer.status >= 300)
        return this.#scene.witness.note(
          `${name}, ${JSON.stringify(entry)}, was refused: ${answer.status} ${answer.text}`,
        );
      entry = change.after;
      this.mayBe.set(name, [entry]);
      await this.#refused(name, entry);
      for (const org of ORGS) await this.#lookAt(name, entry, org);
    }
    if (entry.versions.length > 0) this.#settled.set(name, entry.org);
  }

  #change(name: string, { versions, org }: Entry, number: number): Change {
    const { random, witness, admin: token } = this.#scene;
    const target = `/v1/entries/server/${encodeURIComponent(name)}`;
    const send = (method: string, where: string, body?: unknown) => () =>
      witness.ask(this.#scene.anyServer(), method, where, { token, body });
    const kind = versions.length === 0 ? 'publish' : random.pick(['publish', 'delete', 'claims'] as const);
    if (kind === 'publish') {
      const body = { server: serverDocument(name, `1.0.${number}`), claims: { org } };
      return { after: { versions: [...versions, number], org }, send: send('POST', '/v1/entries', body) };
    }
    if (kind === 'claims') {
      const other = org === 'acme' ? 'beta' : 'acme';
      const body = { claims: { org: other } };
      return { after: { versions, org: other }, send: send('PUT', `${target}/claims`, body) };
    }
    const gone = random.pick(versions);
    const after = { versions: versions.filter((version) => version !== gone), org };
    return { after, send: send('DELETE', `${target}/versions/1.0.${gone}`) };
  }

  /** A refused change has no effect: an existing version is not published again. */
  async #refused(name: string, { versions, org }: Entry): Promise<void> {
    const [first] = versions;
    if (first === undefined || this.#scene.random.below(4) > 0) return;
    const body = { server: serverDocument(name, `1.0.${first}`), claims: { org } };
    const answer = await this.#scene.witness.ask(this.#scene.anyServer(), 'POST', '/v1/entries', {
      token: this.#scene.admin,
      body,
    });
    if (answer !== undefined && answer.status !== 409)
      this.#scene.witness.note(`${name} 1.0.${first} was published again: ${answer.status}`);
  }

  /** After a 2xx response, the next request on every server shows the change to callers with access. */
  async #lookAt(name: string, { versions, org }: Entry, reader: Org): Promise<void> {
    const latest = reader === org ? versions.at(-1) : undefined;
    const answer = await this.#read(reader, `${LIST}/${encodeURIComponent(name)}/versions/latest`);
    if (answer === undefined) return;
    const seen = answer.status === 200 ? answer.json<Page['servers'][number]>().server.version : undefined;
    const wanted = latest === undefined ? undefined : `1.0.${latest}`;
    if (seen !== wanted || ![200, 404].includes(answer.status))
      this.#scene.witness.note(
        `${name} is ${wanted} to ${reader}, and was answered with ${answer.status} ${seen}`,
      );
  }

  /** Reads one entry, or all pages of a list. They contain no entry of another owner, and none is missing. */
  async readSome(): Promise<void> {
    const { random } = this.#scene;
    const reader = random.pick(ORGS);
    const settled = [...this.#settled];
    if (random.below(2) === 0) {
      const [name, org] = random.pick(settled);
      const answer = await this.#read(reader, `${LIST}/${encodeURIComponent(name)}/versions/latest`);
      if (answer !== undefined && answer.status !== (reader === org ? 200 : 404))
        this.#scene.witness.note(`${name} of ${org} was answered to ${reader} with ${answer.status}`);
      return;
    }
    const seen = await this.#list(reader, random.pick([5, 30, 100]), this.#scene.anyServer());
    if (seen === undefined) return;
    for (const [name, org] of settled) {
      const isSeen = seen.some((row) => row.startsWith(`${name} `));
      if (isSeen !== (org === reader))
        this.#scene.witness.note(`${name} of ${org} is ${isSeen ? '' : 'not '}in the list of ${reader}`);
    }
  }

  /** Returns names and versions of a whole list, or undefined if the database was unavailable. */
  async #list(reader: Org, limit: number, server: RegistryUnderTest): Promise<readonly string[] | undefined> {
    const rows: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const target: string = `${LIST}?limit=${limit}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
      const key = `${reader} ${target}`;
      const known = this.#pages.get(key);
      const headers: Record<string, string> = known === undefined ? {} : { 'if-none-match': known.etag };
      const answer = await this.#read(reader, target, { server, headers });
      if (answer === undefined) return undefined;
      const text: string = answer.status === 304 && known !== undefined ? known.text : answer.text;
      this.#pages.set(key, { etag: answer.headers.get('etag') ?? '', text });
      const page = JSON.parse(text) as Page;
      rows.push(...page.servers.map((row) => `${row.server.name} ${row.server.version}`));
      cursor = page.metadata.nextCursor;
    }
    return rows;
  }

  #read(
    reader: Org,
    target: string,
    { server = this.#scene.anyServer(), headers = {} }: Asking = {},
  ): Promise<Answer | undefined> {
    return this.#scene.witness.ask(server, 'GET', target, { token: this.#scene.tokenOf(reader), headers });
  }

  /**
   * After the faults: each entry has a possible state and is complete, and all servers show it to each
   * reader, with old entity tags, too.
   */
  async judge(): Promise<void> {
    const { witness, truth } = this.#scene;
    const { rows } = await truth.query<{ name: string; versions: string[]; org: string; isWhole: boolean }>(
      STORED,
    );
    const stored = new Map(rows.map((row) => [row.name, row]));
    const shown: Record<Org, string[]> = { acme: ['org.acme/always 1.0.0'], beta: ['org.beta/always 1.0.0'] };
    for (const [name, states] of this.mayBe) {
      const found = stored.get(name);
      if (found?.isWhole === false) witness.note(`${name} is stored in part: ${JSON.stringify(found)}`);
      const is = states.find(({ versions, org }) =>
        found === undefined
          ? versions.length === 0
          : found.org === org && String(found.versions) === String(versions.map((number) => `1.0.${number}`)),
      );
      if (is === undefined)
        witness.note(`${name} is ${JSON.stringify(found)}, and may be ${JSON.stringify(states)}`);
      else shown[is.org].push(...is.versions.map((number) => `${name} 1.0.${number}`));
    }
    for (const server of this.#scene.servers) {
      for (const [org, limit] of ORGS.flatMap((one) => [5, 30, 100].map((most) => [one, most] as const))) {
        const listed = await this.#list(org, limit, server);
        if (String(listed?.toSorted()) !== String(shown[org].toSorted()))
          witness.note(
            `${org} is shown ${listed?.length} versions of ${shown[org].length}, ${limit} at a time`,
          );
      }
    }
  }
}

/** Statement that compares flags, claims and counts of each entry of the managed source. */
const STORED = `
select entry.name,
  array_agg(v.version order by v.order_key) as versions,
  coalesce(claim_set.canonical::json #>> '{org,0}', claim_set.canonical::json ->> 'org') as org,
  count(*) filter (where v.is_latest = 1) = 1
    and (array_agg(v.is_latest order by v.order_key desc))[1] = 1
    and bool_and(v.claim_set_id = entry.claim_set_id)
    and (select status.version_count = (select count(*) from entry_version where source_id = entry.source_id)
           and status.server_count = (select count(*) from entry as one where one.source_id = entry.source_id)
         from sync_status as status where status.source_id = entry.source_id) as "isWhole"
from entry
join claim_set on claim_set.id = entry.claim_set_id
left join entry_version as v on v.entry_id = entry.id
where entry.name like 'org.made/%'
group by entry.id, claim_set.canonical`;
