import { CEDAR, type Cedar } from '../src/engine/cedar-engine.ts';

/** Questions to Cedar since the count began. */
export interface CedarUse {
  questions: number;
  /** Characters of all questions, as JSON. */
  characters: number;
  stop(): void;
}

/** Starts to count the questions of all parts of the plugin to Cedar. */
export function countCedar(): CedarUse {
  const use = CEDAR.use.bind(CEDAR);
  const counts: CedarUse = {
    questions: 0,
    characters: 0,
    stop: () => {
      CEDAR.use = use;
    },
  };
  const count = (question: object): void => {
    counts.questions += 1;
    counts.characters += JSON.stringify(question).length;
  };
  const counted = (cedar: Cedar): Cedar => ({
    ...cedar,
    isAuthorized: (question) => {
      count(question);
      return cedar.isAuthorized(question);
    },
    statefulIsAuthorized: (question) => {
      count(question);
      return cedar.statefulIsAuthorized(question);
    },
  });
  const copies = new WeakMap<Cedar, Cedar>();
  CEDAR.use = (ask) =>
    use((cedar) => {
      const copy = copies.get(cedar) ?? counted(cedar);
      copies.set(cedar, copy);
      return ask(copy);
    });
  return counts;
}
