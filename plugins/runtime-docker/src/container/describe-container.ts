import type { ContainerDescription, ContainerState } from '@portolan/plugin-api';
import type { ContainerInspectInfo } from 'dockerode';

const STATUSES = ['created', 'running', 'paused', 'restarting', 'removing', 'exited', 'dead'] as const;
type Status = ContainerState['status'];

/** Docker's names of container states by Podman's names. */
const OTHER_WORDS: Readonly<Record<string, Status>> = {
  configured: 'created',
  initialized: 'created',
  stopping: 'running',
  stopped: 'exited',
};

export function describeContainer(info: ContainerInspectInfo): ContainerDescription {
  return {
    id: info.Id,
    name: info.Name.replace(/^\//, ''),
    image: info.Config.Image,
    imageId: info.Image,
    labels: info.Config.Labels ?? {},
    createdAt: new Date(info.Created),
    state: describeState(info.State),
    networks: Object.entries(info.NetworkSettings.Networks ?? {}).map(([name, network]) => ({
      name,
      address: network.IPAddress ?? '',
    })),
    ports: describePorts(info),
  };
}

/** Converts a container's state. The exit code is present only after an exit. */
export function describeState(state: ContainerInspectInfo['State']): ContainerState {
  const status = statusOf(state.Status);
  const finishedAt = momentOf(state.FinishedAt);
  const ended = status === 'exited' || status === 'dead';
  return {
    status,
    running: state.Running,
    exitCode: ended ? state.ExitCode : undefined,
    outOfMemory: state.OOMKilled,
    error: state.Error ? state.Error : undefined,
    startedAt: momentOf(state.StartedAt),
    finishedAt: state.Running ? undefined : finishedAt,
  };
}

function statusOf(word: string): Status {
  return STATUSES.find((status) => status === word) ?? OTHER_WORDS[word] ?? 'dead';
}

/** Parses a time of the engine. Undefined for the year 1, which engines write for "never". */
function momentOf(text: string): Date | undefined {
  const moment = new Date(text);
  return Number.isNaN(moment.getTime()) || moment.getUTCFullYear() <= 1 ? undefined : moment;
}

function describePorts(info: ContainerInspectInfo): ContainerDescription['ports'] {
  return Object.entries(info.NetworkSettings.Ports ?? {}).flatMap(([key, bindings]) => {
    const [port, protocol] = key.split('/');
    return (bindings ?? []).map((binding) => ({
      containerPort: Number(port),
      protocol: protocol === 'udp' ? ('udp' as const) : ('tcp' as const),
      hostAddress: binding.HostIp ?? '',
      hostPort: Number(binding.HostPort),
    }));
  });
}
