/**
 * The order of test files. Where vitest knows no times, as in a fresh clone, it begins with the largest files. Those below are small and
 * take longest, so that the last of them would run alone at the end.
 */
import { BaseSequencer, type TestSpecification } from "vitest/node";

const LONG =
  /\/(money-\w+|git-attacks|landing-kills|landing-kills-remote|sandbox-escapes|web-tabs)\.test\.ts$/;

export class LongFirst extends BaseSequencer {
  /** Files of one project stay together: they share processes. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((one) => {
      const own = sorted.filter(({ project }) => project === one);
      const isLong = ({ moduleId }: TestSpecification): boolean => LONG.test(moduleId);
      return [...own.filter(isLong), ...own.filter((file) => !isLong(file))];
    });
  }
}
