import { API_VERSION, BUILT_IN_TAPS, type ContainerSpec, type Plugin } from '@portolan/plugin-api';

const { plugin: name, stage } = BUILT_IN_TAPS.containerStart;

/**
 * Tap on the hook `containerStart` that hardens containers. The hook passes only the container spec to its
 * taps. Therefore `during` registers the hardening rule of each container while the hook runs for it.
 */
export class HardeningTap {
  readonly #rules = new Map<string, (spec: ContainerSpec) => ContainerSpec>();

  /** Plugin that rejects a container spec without a registered rule. */
  readonly plugin: Plugin = {
    name,
    apiVersion: API_VERSION,
    apply: ({ hooks }) => {
      hooks.containerStart.tap({ name, stage }, (spec) => {
        const harden = this.#rules.get(spec.name);
        if (harden === undefined) throw new TypeError(`no rules exist for hardening ${spec.name}`);
        return harden(spec);
      });
    },
  };

  async during<T>(
    container: string,
    harden: (spec: ContainerSpec) => ContainerSpec,
    run: () => Promise<T>,
  ): Promise<T> {
    this.#rules.set(container, harden);
    try {
      return await run();
    } finally {
      this.#rules.delete(container);
    }
  }
}
