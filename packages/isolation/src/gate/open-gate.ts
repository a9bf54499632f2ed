import path from 'node:path';
import type { EgressListener } from '../policy/egress-event.ts';
import { EgressJudge, type EgressPolicy } from '../policy/egress-judge.ts';
import { type EgressLimits, EgressProxy } from '../proxy/egress-proxy.ts';
import { gatewayPortTaken } from '../errors.ts';
import { OwnAnswers } from '../policy/local-responses.ts';
import { type PublishedPort, publishPort } from './publish-port.ts';
import { RelayControl } from './relay-control.ts';
import { CONTROL_SOCKET, EGRESS_SOCKET, ingressSocket } from './runtime-folder.ts';

export interface GateOptions {
  readonly workload: string;
  /** Folder from `makeRuntimeFolder` for the sockets. Closing the gate does not remove it. */
  readonly folder: string;
  /**
   * Policy for outgoing traffic. Undefined: no outgoing traffic, and no name resolution (network mode
   * `none`).
   */
  readonly egress?: EgressPolicy;
  readonly ingress: readonly number[];
  /** Called once per decision. Its errors are not caught. */
  readonly onEvent: EgressListener;
  readonly limits?: Partial<EgressLimits>;
}

/** Host side of a workload's isolated network, through which all traffic passes. */
export interface Gate {
  /**
   * Resolves when the relay in the gateway listens. Rejects with ERR_GATEWAY, or the reason of the signal.
   */
  ready(signal?: AbortSignal): Promise<void>;
  ingressPath(port: number): string;
  publish(address: string, hostPort: number, containerPort: number): Promise<PublishedPort>;
  /** Closes the gate and all open connections. After that, the relay passes nothing. */
  close(): Promise<void>;
}

/**
 * Opens the sockets that the relay connects to. A relay whose supervisor died can connect as well. Throws
 * ERR_SETTING for a port that the relay itself needs.
 */
export async function openGate(options: GateOptions): Promise<Gate> {
  const { workload, folder, egress, ingress, onEvent, limits } = options;
  for (const port of egress === undefined ? [] : ingress) {
    if (PORTS_OF_RELAY.includes(port)) throw gatewayPortTaken(workload, port);
  }
  const opened: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
  };
  const judge = egress === undefined ? undefined : new EgressJudge(egress);
  try {
    if (judge !== undefined) {
      const socket = path.join(folder, EGRESS_SOCKET);
      opened.push(
        await EgressProxy.open({
          workload,
          socket,
          judge,
          answers: egress?.answers === undefined ? undefined : new OwnAnswers(egress.answers),
          onEvent,
          ...(limits === undefined ? {} : { limits }),
        }),
      );
    }
    const socket = path.join(folder, CONTROL_SOCKET);
    const control = await RelayControl.open({ workload, socket, ingress, judge, onEvent });
    opened.push(control);
    const ingressPath = (port: number): string => path.join(folder, ingressSocket(port));
    return {
      ready: (signal) => control.ready(signal),
      ingressPath,
      publish: async (address, hostPort, containerPort) => {
        const published = await publishPort(address, hostPort, ingressPath(containerPort));
        opened.push(published);
        return published;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Ports of the relay inside the isolated network: DNS and proxy. */
const PORTS_OF_RELAY: readonly number[] = [53, 3128];
