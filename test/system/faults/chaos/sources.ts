import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { type Answer, type Json, serverDocument } from '../../../support/registry-under-test.ts';
import type { Org, Scene } from './scene.ts';

type State = Org | 'absent';

/** Longer than an expired lease plus the pause after a failed sync. */
const READ_WITHIN_MS = 60_000;

/**
 * Sources and registries that are made, changed and removed through the admin API while the database fails
 * and recovers.
 */
export class Sources {
  /** Possible owners of each source after the faults. */
  readonly mayBe = new Map<string, readonly State[]>();
  readonly #scene: Scene;
  #named = 0;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  /**
   * Makes a source and a registry with it, changes the owner of the source, and removes both. Stops at the
   * first change without a response.
   */
  async administerOne(): Promise<void> {
    const name = `made-${this.#named++}`;
    const source = `/v1/sources/${name}`;
    const registry = `/v1/registries/${name}`;
    this.mayBe.set(name, ['absent']);
    if (!(await this.#step(name, 'acme', 201, () => this.#send('PUT', source, definition(name, 'acme')))))
      return;
    const body = { sources: [name], claims: { team: 'eng' } };
    const made = await this.#send('PUT', registry, body);
    this.#expect(`PUT ${registry}`, made, 201);
    if (!(await this.#step(name, 'beta', 200, () => this.#send('PUT', source, definition(name, 'beta')))))
      return;
    if (made === undefined) return;
    await this.#closed(name);
    if (this.#scene.random.below(2) === 0) return;
    const removed = await this.#send('DELETE', registry);
    this.#expect(`DELETE ${registry}`, removed, 204);
    if (removed !== undefined) await this.#step(name, 'absent', 204, () => this.#send('DELETE', source));
  }

  /** Returns true if the step got a response. Otherwise the source may be in the state before or after it. */
  async #step(
    name: string,
    after: State,
    status: number,
    send: () => Promise<Answer | undefined>,
  ): Promise<boolean> {
    const before = this.mayBe.get(name) ?? [];
    const answer = await send();
    this.mayBe.set(name, answer === undefined ? [...before, after] : [after]);
    this.#expect(`${name}, to be ${after},`, answer, status);
    return answer !== undefined;
  }

  #expect(what: string, answer: Answer | undefined, status: number): void {
    if (answer !== undefined && answer.status !== status)
      this.#scene.witness.note(`${what} was answered with ${answer.status} ${answer.text}`);
  }

  /** After the owner changed from acme to beta, acme does not see the source, with or without a new read. */
  async #closed(name: string): Promise<void> {
    const target = `/registry/${name}/v0.1/servers`;
    const token = this.#scene.tokenOf('acme');
    const answer = await this.#scene.witness.ask(this.#scene.anyServer(), 'GET', target, { token });
    if (answer === undefined) return;
    const { servers } = answer.json<{ servers?: readonly unknown[] }>();
    if (servers?.length !== 0)
      this.#scene.witness.note(`${name} is beta's, and acme was shown ${answer.status} ${answer.text}`);
  }

  #send(method: string, target: string, body?: Json): Promise<Answer | undefined> {
    const { witness, admin: token } = this.#scene;
    return witness.ask(this.#scene.anyServer(), method, target, { token, body });
  }

  /**
   * After the faults: each source has a possible owner and is read again, and its entries are those of its
   * definition.
   */
  async judge(): Promise<void> {
    const { truth, witness } = this.#scene;
    const { rows } = await truth.query<{ name: string; org: Org }>(
      "select source.name, coalesce(canonical::json #>> '{org,0}', canonical::json ->> 'org') as org from source join claim_set on claim_set.id = claim_set_id where source.name like 'made-%'",
    );
    const stored = new Map(rows.map(({ name, org }) => [name, org]));
    for (const [name, states] of this.mayBe) {
      const is = stored.get(name) ?? 'absent';
      if (!states.includes(is))
        witness.note(`the source ${name} is ${is}, and may be ${states.join(' or ')}`);
    }
    const wanted = [...stored].map(([name, org]) => `${name} ${VERSION_OF[org]} ${org}`).toSorted();
    await eventually(async () => expect(await this.#held()).to.deep.equal(wanted), {
      withinMs: READ_WITHIN_MS,
    });
  }

  async #held(): Promise<readonly string[]> {
    const { rows } = await this.#scene.truth.query<{ held: string }>(
      "select source.name || ' ' || version || ' ' || coalesce(canonical::json #>> '{org,0}', canonical::json ->> 'org') as held from entry_version join source on source.id = source_id join claim_set on claim_set.id = entry_version.claim_set_id where source.name like 'made-%'",
    );
    return rows.map(({ held }) => held).toSorted();
  }
}

const VERSION_OF: Readonly<Record<Org, string>> = { acme: '1.0.0', beta: '2.0.0' };

function definition(name: string, org: Org): Json {
  const servers = [serverDocument(`org.${name}/one`, VERSION_OF[org])];
  return {
    file: { data: JSON.stringify({ version: '1.0.0', data: { servers } }) },
    syncPolicy: { interval: '1h' },
    claims: { org },
  };
}
