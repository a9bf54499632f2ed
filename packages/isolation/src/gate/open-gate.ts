import path from 'node:path';
import type { EgressListener } from '../policy/egress-event.ts';
import { EgressJudge, type EgressPolicy } from '../policy/egress-judge.ts';
import { type EgressLimits, EgressProxy } from '../proxy/egress-proxy.ts';
import { gatewayPortTaken } from '../errors.ts';
import { OwnAnswers } from '../policy/own-answers.ts';
import { type PublishedPort, publishPort } from './publish-port.ts';
import { RelayControl } from './relay-control.ts';
import { CONTROL_SOCKET, EGRESS_SOCKET, ingressSocket } from './runtime-folder.ts';

export interface GateOptions {
  readonly workload: string;
  /** From `makeRuntimeFolder`; it stays when the gate is closed. */
  readonly folder: string;
  /** Left out: nothing leads out, not even to be refused, and no name is answered (network mode `none`). */
  readonly egress?: EgressPolicy;
  /** Ports of the workload that are reached from here. */
  readonly ingress: readonly number[];
  /** Hears each decision once. What it throws is the caller's own fault and is not caught. */
  readonly onEvent: EgressListener;
  readonly limits?: Partial<EgressLimits>;
}

/** This side of a workload's closed network: what goes in and out passes here or nowhere. */
export interface Gate {
  /** Resolves when the relay in the gateway listens; rejects with ERR_GATEWAY, or as the signal says. */
  ready(signal?: AbortSignal): Promise<void>;
  /** Path of the Unix socket that leads to a port of the workload; only of those in `ingress`. */
  ingressPath(port: number): string;
  /** Opens a port of this host that leads to one of the workload. Throws ERR_PORT_TAKEN. */
  publish(address: string, hostPort: number, containerPort: number): Promise<PublishedPort>;
  /** Closes everything that was opened here and cuts what passes. The relay then lets nothing through. */
  close(): Promise<void>;
}

/**
 * Opens the sockets that the relay connects to. The gateway may be started
 * before or after: a relay that runs already, left by a supervisor that died,
 * finds them too. Throws ERR_SETTING for a port that the relay itself needs.
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

/** Where the relay listens inside of the closed network: names and proxy. */
const PORTS_OF_RELAY: readonly number[] = [53, 3128];
