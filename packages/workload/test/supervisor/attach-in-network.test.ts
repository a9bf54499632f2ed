import { PortolanError } from '@portolan/plugin-api';
import { FakeAttachment } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { attachInNetwork } from '../../src/supervisor/server/container-starter.ts';

const REFUSED = new PortolanError('ERR_RUNTIME_REFUSED', 'fault', 'some dependencies are not started');
const AWAY = new PortolanError('ERR_RUNTIME_UNREACHABLE', 'unavailable', 'The engine is away.');
const NO_GATEWAY = new PortolanError('ERR_GATEWAY', 'fault', 'The gateway does not work.');

/** An engine that attaches a container only when the gateway is ready, as Podman does. */
class Engine {
  asked = 0;
  isReady = false;
  readonly attachment = new FakeAttachment();
  readonly #refusal: Error;

  constructor(refusal: Error = REFUSED) {
    this.#refusal = refusal;
  }

  attachContainer = async (): Promise<FakeAttachment> => {
    this.asked += 1;
    if (!this.isReady) throw this.#refusal;
    return this.attachment;
  };

  gateway = {
    ready: async (): Promise<void> => {
      this.isReady = true;
    },
  };
}

describe('attachInNetwork', () => {
  const { signal } = new AbortController();

  it('retries once the gateway is ready', async () => {
    const engine = new Engine();
    expect(await attachInNetwork(engine, 'id', engine.gateway, signal)).to.equal(engine.attachment);
    expect(engine.asked).to.equal(2);
  });

  it('does not wait for the gateway when the first attempt succeeds', async () => {
    const engine = new Engine();
    engine.isReady = true;
    const gateway = { ready: () => Promise.reject(NO_GATEWAY) };
    expect(await attachInNetwork(engine, 'id', gateway, signal)).to.equal(engine.attachment);
  });

  it("throws the gateway's error instead of the engine's", async () => {
    const gateway = { ready: () => Promise.reject(NO_GATEWAY) };
    expect(await failureOf(attachInNetwork(new Engine(), 'id', gateway, signal))).to.equal(NO_GATEWAY);
  });

  it("throws the engine's error when it is unavailable, or when there is no gateway", async () => {
    const engine = new Engine(AWAY);
    expect(await failureOf(attachInNetwork(engine, 'id', engine.gateway, signal))).to.equal(AWAY);
    expect(await failureOf(attachInNetwork(new Engine(), 'id', undefined, signal))).to.equal(REFUSED);
    expect(engine.asked).to.equal(1);
  });
});

function failureOf(attached: Promise<unknown>): Promise<unknown> {
  return attached.catch((error: unknown) => error);
}
