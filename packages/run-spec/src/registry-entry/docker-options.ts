export type DockerMeaning =
  | 'env'
  | 'volume'
  | 'mount'
  | 'network'
  | 'publish'
  /** Ignored, because Portolan sets it for every workload. */
  | 'needless'
  /** Gives the container more privileges, so only the user may set it. */
  | 'power'
  | 'other';

const MEANINGS: Readonly<Record<Exclude<DockerMeaning, 'other'>, string>> = {
  env: '-e --env',
  volume: '-v --volume',
  mount: '--mount',
  network: '--network --net',
  publish: '-p --publish',
  needless:
    '--rm -i --interactive -t --tty --init --pull -d --detach -q --quiet -a --attach --name -h --hostname ' +
    '--restart --sig-proxy --log-driver --log-opt --stop-signal --stop-timeout --cidfile --detach-keys ' +
    '--disable-content-trust --help --no-healthcheck --cap-drop --replace',
  power:
    '--privileged --cap-add --device --device-cgroup-rule --device-read-bps --device-read-iops ' +
    '--device-write-bps --device-write-iops --gpus --cdi --cgroup-parent --cgroupns --pid --ipc --uts --userns ' +
    '--security-opt --group-add --sysctl --volumes-from --use-api-socket --oom-score-adj --oom-kill-disable --runtime',
};

const BY_NAME: ReadonlyMap<string, DockerMeaning> = new Map(
  Object.entries(MEANINGS).flatMap(([meaning, names]) =>
    names.split(' ').map((name) => [name, meaning as DockerMeaning] as const),
  ),
);

/** Options without a value. All other options take one. */
const ALONE: ReadonlySet<string> = new Set(
  (
    '--rm -i --interactive -t --tty --init -d --detach -q --quiet --sig-proxy --privileged -P --publish-all ' +
    '--read-only --no-healthcheck --oom-kill-disable --disable-content-trust --help --use-api-socket --replace'
  ).split(' '),
);

export function meaningOfDockerOption(name: string): DockerMeaning {
  return BY_NAME.get(name) ?? 'other';
}

export function dockerOptionTakesValue(name: string): boolean {
  return !ALONE.has(name);
}

export interface CommandWord {
  readonly option: string | undefined;
  readonly value: string | undefined;
}

/**
 * Splits a word into options and values: `--net=none`, `-eA=B`, `-it`. A value in the next word is not
 * included.
 */
export function splitOption(word: string, takesValue: (name: string) => boolean): readonly CommandWord[] {
  if (word.startsWith('--')) {
    const at = word.indexOf('=');
    return at === -1
      ? [{ option: word, value: undefined }]
      : [{ option: word.slice(0, at), value: word.slice(at + 1) }];
  }
  const words: CommandWord[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const option = `-${word.charAt(at)}`;
    if (!takesValue(option)) {
      words.push({ option, value: undefined });
      continue;
    }
    const rest = word.slice(at + 1).replace(/^=/, '');
    words.push({ option, value: rest === '' ? undefined : rest });
    break;
  }
  return words;
}
