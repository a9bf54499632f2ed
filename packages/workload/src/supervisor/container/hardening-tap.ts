import { API_VERSION, BUILT_IN_TAPS, type ContainerSpec, type Plugin } from '@portolan/plugin-api';

const { plugin: name, stage } = BUILT_IN_TAPS.containerStart;

/**
 * Hardening as a tap on `containerStart`. The hook hands its taps the spec alone;
 * how each container is to be hardened is said for as long as the hook runs for it.
 */
export class HardeningTap {
  readonly #rules = new Map<string, (spec: ContainerSpec) => ContainerSpec>();

  /** For the kernel. A spec of which nobody has said how it is hardened is refused. */
  readonly plugin: Plugin = {
    name,
    apiVersion: API_VERSION,
    apply: ({ hooks }) => {
      hooks.containerStart.tap({ name, stage }, (spec) => {
        const harden = this.#rules.get(spec.name);
        if (harden === undefined) throw new TypeError(`nobody says how ${spec.name} is hardened`);
        return harden(spec);
      });
    },
  };

  /** Runs the hook, in which the container of this name is hardened so. */
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
