import type { PluginContext } from './plugin-context.ts';
import type { API_VERSION } from './api-version.ts';
import type { ConfigBlock, ConfigOf } from './config-schema.ts';
import type { AuthProviderKind } from './kinds/auth-provider.ts';
import type { MiddlewareKind } from './kinds/middleware.ts';
import type { OutgoingCredentialsKind } from './kinds/outgoing-credentials.ts';
import type { PagesKind } from './kinds/pages.ts';
import type { ProxyMiddlewareKind } from './kinds/proxy-middleware.ts';
import type { RuntimeKind } from './kinds/runtime.ts';
import type { SchemeKind } from './kinds/scheme.ts';
import type { SecretStoreKind } from './kinds/secret-store.ts';
import type { SessionStoreKind } from './kinds/session-store.ts';
import type { SourceKind } from './kinds/source.ts';
import type { TelemetryKind } from './kinds/telemetry.ts';
import type { ToolIndexKind } from './kinds/tool-index.ts';
import type { TransportKind } from './kinds/transport.ts';

/** A plugin. It declares kinds as data and taps hooks, and has no other means to act. */
export interface Plugin<Options extends ConfigBlock = ConfigBlock> {
  /** The npm name, which appears in logs, errors and taps. */
  readonly name: string;
  readonly apiVersion: typeof API_VERSION;
  /** Schema of `options` in the configuration. */
  readonly options?: Options;
  /** Kinds that the plugin contributes. They are data, read before any function of the plugin runs. */
  readonly contributes?: Contributions;
  /** Called once, after the whole configuration was validated. */
  apply?(context: PluginContext, options: ConfigOf<Options>): void | Promise<void>;
  /** Called once, when the host stops. */
  close?(): Promise<void>;
}

export interface Contributions {
  readonly sources?: readonly SourceKind[];
  readonly authProviders?: readonly AuthProviderKind[];
  readonly middleware?: readonly MiddlewareKind[];
  readonly runtimes?: readonly RuntimeKind[];
  readonly transports?: readonly TransportKind[];
  readonly schemes?: readonly SchemeKind[];
  readonly secretStores?: readonly SecretStoreKind[];
  readonly telemetry?: readonly TelemetryKind[];
  readonly proxyMiddleware?: readonly ProxyMiddlewareKind[];
  readonly sessionStores?: readonly SessionStoreKind[];
  readonly outgoingCredentials?: readonly OutgoingCredentialsKind[];
  readonly toolIndexes?: readonly ToolIndexKind[];
  readonly pages?: readonly PagesKind[];
}
