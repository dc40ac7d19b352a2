/** A task lands when it is completed. A reviewer or a person passes a change that may make its own judge see less. */
import type { Review } from "../../core/board/review.ts";
import { type Can, passerOf } from "../../core/gate/passes.ts";
import { PERSON } from "../../core/ids.ts";
import { lazy } from "../../core/lazy.ts";
import type { DoubtParts } from "../../runtime/wraps/doubts.ts";
import { landing as landingWrap, type Proposes } from "../../runtime/wraps/worktrees.ts";
import { LANDING } from "../permission/permission-questions.ts";
import type { MakeFeature, Setup } from "../setup.ts";
import { reviewerOf, signalsIn } from "./review.ts";

export const landing: MakeFeature = (setup) => {
  const { settings, trees } = setup.parts;
  if (!trees) return null;
  const { tools, reviewer, canReview } = reviewerOf(setup);
  return {
    tools,
    wrap: landingWrap(
      trees,
      {
        reviewer,
        rounds: settings.reviewRounds,
        reviews: settings.review,
        signals: signalsIn(setup),
        person: askingPerson(setup),
        passer: async (isMeant) => {
          const { tampering, review } = settings;
          const person = setup.questions.reachesPerson;
          const can: Can = { reviewer: review !== "none" && (await canReview()), person };
          return passerOf(tampering, isMeant, can);
        },
      },
      settings.forge === undefined ? null : proposesOf(setup),
    ),
  };
};

const proposesOf = ({ parts: { settings, workspace } }: Setup): Proposes => {
  const repo = lazy(async () =>
    (await import("../forge/found.ts")).repositoryOf(settings.forge ?? "origin", workspace),
  );
  return async (...args) => (await import("../forge/propose.ts")).propose(await repo(), ...args);
};

const askingPerson =
  ({ profile, questions }: Setup): DoubtParts["person"] =>
  async ({ subject, reason, diff }, ctx): Promise<Review | null> => {
    const question = { who: profile.name, tool: LANDING, subject, reason, diff, rule: null };
    const given = await questions.put(question, ctx, undefined, PERSON);
    if (given === null || given.state === "expired") return null;
    return { verdict: given.yes ? "approved" : "remarks", text: given.text || (given.yes ? "" : "No.") };
  };
