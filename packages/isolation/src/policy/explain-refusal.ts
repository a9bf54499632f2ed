import { type EgressHost, type EgressTarget, writeHost, type HostDecision } from '@portolan/outbound';
import type { AddressRefusal } from './decide-address.ts';
import { type EgressRefusal, refuse } from './egress-event.ts';

type ListReason = Extract<HostDecision, { readonly allowed: false }>['reason'];

/** Creates a refusal by the allow-list. Its sentence names the setting. */
export function refuseByList(reason: ListReason, { host, port }: EgressTarget): EgressRefusal {
  const shown = writeHost(host);
  const texts: Readonly<Record<ListReason, string>> = {
    'nothing-allowed': `${shown} is refused: the permission profile lets nothing out`,
    'host-not-allowed': `${shown} is not in allow_host`,
    'port-not-allowed': `${shown}:${port} is refused: the port is not in allow_port`,
  };
  return refuse(reason, texts[reason]);
}

/** Creates a refusal by address, without revealing the addresses of a name. */
export function refuseByAddress(reason: AddressRefusal, { text }: EgressHost): EgressRefusal {
  const texts: Readonly<Record<AddressRefusal, string>> = {
    'address-special': 'an address that is never open (loopback, link-local, multicast or reserved)',
    'address-metadata': 'the metadata service of a cloud, which is never open',
    'address-this-host': 'this host, which is not open to workloads',
    'address-container-network': 'another container; its address in allow_host would open it',
  };
  return refuse(reason, `${text} leads to ${texts[reason]}`);
}

/** Creates a refusal of this host's names and addresses in containers. */
export function refuseGateway({ text }: EgressHost): EgressRefusal {
  return refuse('container-gateway', `${text} is this host; --allow-container-gateway opens it`);
}

/** Creates a refusal of a name without addresses. */
export function refuseUnresolved({ text }: EgressHost, hasProxy: boolean): EgressRefusal {
  const remedy = hasProxy ? "; named in allow_host, it would go through the host's proxy" : '';
  return refuse('name-not-resolved', `${text} does not resolve${remedy}`);
}
