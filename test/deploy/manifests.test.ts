/**
 * The Kubernetes manifests and the Dockerfile, as far as no cluster and no registry is needed: against the published schemas of
 * Kubernetes and KEDA, by their rules for values and (by the compiler) for unknown fields; against each other; and against the
 * program and the store that they speak to.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import pg from "pg";
import ts from "typescript";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { parseAllDocuments } from "yaml";
import { systemClock } from "../../src/adapters/clock.ts";
import { openStore } from "../../src/adapters/store/index.ts";
import { PERSON } from "../../src/core/ids.ts";
import { COMMANDS } from "../../src/faces/entry/all.ts";
import { dropSchema, host, name, profile } from "../fixtures/stage.ts";
import { takeAway } from "../fixtures/take-away.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "deploy/kubernetes");
const require = createRequire(import.meta.url);

/** Where the packages keep the schema of a kind. */
const MODULES: Readonly<Record<string, string>> = {
  Namespace: "kubernetes-models/v1/Namespace",
  ServiceAccount: "kubernetes-models/v1/ServiceAccount",
  Secret: "kubernetes-models/v1/Secret",
  Deployment: "kubernetes-models/apps/v1/Deployment",
  PodDisruptionBudget: "kubernetes-models/policy/v1/PodDisruptionBudget",
  ScaledObject: "@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject",
  TriggerAuthentication: "@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication",
};

type Resource = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
};
const read = (file: string): Resource[] =>
  parseAllDocuments(readFileSync(join(FOLDER, file), "utf8")).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Resource;
  });
const kustomization = read("kustomization.yaml")[0] as unknown as {
  resources: string[];
  namespace: string;
  images: { name: string }[];
};
const files = [...kustomization.resources, "secrets.example.yaml"];
const all = files.flatMap(read);

/** The faults of a resource by its schema. */
async function faultsOf(resource: Resource): Promise<string> {
  const path = MODULES[resource.kind];
  if (!path) return `no schema for ${resource.kind}`;
  const module = (await import(path)) as Record<
    string,
    { new (data: object): { validate(): void }; apiVersion: string }
  >;
  const Kind = module[resource.kind];
  if (!Kind) return `no model ${resource.kind}`;
  if (Kind.apiVersion !== resource.apiVersion) return `${resource.apiVersion}, expected ${Kind.apiVersion}`;
  try {
    new Kind(resource).validate();
    return "";
  } catch (error) {
    return String(error);
  }
}

/** The schemas allow unknown fields; the types of the same packages do not. */
function unknownFields(resources: readonly Resource[]): string[] {
  const folder = mkdtempSync(join(ROOT, "node_modules/.manifests-"));
  onTestFinished(() => takeAway(folder));
  const source = resources
    .map(
      (resource, i) =>
        `import type { I${resource.kind} as T${i} } from "${MODULES[resource.kind]}";\nexport const r${i}: T${i} = ${JSON.stringify(resource)};`,
    )
    .join("\n");
  const file = join(folder, "resources.ts");
  writeFileSync(file, source);
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    types: [],
  });
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

const only = <T>(kind: string): T => all.find((one) => one.kind === kind) as T;
const deployment = only<{
  metadata: { name: string };
  spec: {
    selector: { matchLabels: Record<string, string> };
    template: {
      metadata: { labels: Record<string, string> };
      spec: {
        serviceAccountName: string;
        terminationGracePeriodSeconds: number;
        containers: {
          image: string;
          args: string[];
          env: {
            name: string;
            value?: string;
            valueFrom?: { secretKeyRef: { name: string; key: string } };
          }[];
          envFrom: { secretRef: { name: string } }[];
          ports: { name: string; containerPort: number }[];
          [probe: string]: unknown;
        }[];
      };
    };
  };
}>("Deployment");
const pod = deployment.spec.template.spec;
const worker = pod.containers[0] as (typeof pod.containers)[number];
const scaled = only<{
  spec: {
    scaleTargetRef: { name: string };
    triggers: { type: string; authenticationRef: { name: string }; metadata: Record<string, string> }[];
  };
}>("ScaledObject");
const trigger = scaled.spec.triggers[0] as (typeof scaled.spec.triggers)[number];

describe("the manifests", () => {
  it("keep the schemas of Kubernetes and KEDA", { timeout: 120_000 }, async () => {
    for (const resource of all) expect(await faultsOf(resource), resource.kind).toBe("");
    expect(unknownFields(all)).toEqual([]);
    // Both checks can fail.
    const wrong = structuredClone(deployment) as unknown as Resource & {
      spec: { template: { spec: { containers: { image: unknown; imagee: string }[] } } };
    };
    Object.assign(wrong.spec.template.spec.containers[0] as object, { imagee: "x" });
    expect(unknownFields([wrong]).join()).toContain("imagee");
    Object.assign(wrong.spec.template.spec.containers[0] as object, { image: 7 });
    expect(await faultsOf(wrong)).toContain("must be string");
  });

  it("list every file, and refer to nothing that is not there", () => {
    expect(readdirSync(FOLDER).sort()).toEqual(["kustomization.yaml", ...files].sort());
    expect(kustomization.images.map((image) => image.name)).toContain(worker.image);
    expect(
      all.some(({ kind, metadata }) => kind === "Namespace" && metadata.name === kustomization.namespace),
    ).toBe(true);
    const labels = deployment.spec.template.metadata.labels;
    expect(labels).toMatchObject(deployment.spec.selector.matchLabels);
    expect(labels).toMatchObject(only<typeof deployment>("PodDisruptionBudget").spec.selector.matchLabels);
    expect(pod.serviceAccountName).toBe(only<Resource>("ServiceAccount").metadata.name);
    expect(scaled.spec.scaleTargetRef.name).toBe(deployment.metadata.name);
    expect(trigger.authenticationRef.name).toBe(only<Resource>("TriggerAuthentication").metadata.name);

    const secrets = new Map(
      all.flatMap((one) =>
        one.kind === "Secret"
          ? [[one.metadata.name, Object.keys((one as unknown as { stringData: object }).stringData)] as const]
          : [],
      ),
    );
    for (const { valueFrom } of worker.env)
      if (valueFrom) expect(secrets.get(valueFrom.secretKeyRef.name)).toContain(valueFrom.secretKeyRef.key);
    for (const { secretRef } of worker.envFrom) expect(secrets.has(secretRef.name)).toBe(true);
    const { secretTargetRef } = only<{ spec: { secretTargetRef: { name: string; key: string }[] } }>(
      "TriggerAuthentication",
    ).spec;
    for (const ref of secretTargetRef) expect(secrets.get(ref.name)).toContain(ref.key);
    // No secret stands in what is applied.
    expect(kustomization.resources).not.toContain("secrets.example.yaml");
  });

  it("start the worker as the program takes it, and give it longer to leave than it asks for", () => {
    const [command, ...args] = worker.args;
    const entry = COMMANDS.find(({ usage }) => usage === command);
    const options = new Map<string, string>();
    for (let i = 0; i < args.length; i += 1) {
      const flag = args[i] as string;
      const known = entry?.options?.find(([flags]) => flags.split(" ")[0] === flag)?.[0];
      if (known?.includes("<")) options.set(flag, args[++i] as string);
      else expect(flag).toBe("--json");
    }
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(Number(options.get("--drain")) + 15);
    expect(worker.ports).toContainEqual({ name: "health", containerPort: Number(options.get("--health")) });
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"])
      expect(worker[probe]).toMatchObject({
        httpGet: { port: "health", path: probe === "readinessProbe" ? "/readyz" : "/livez" },
      });
    expect(trigger.metadata.targetQueryValue).toBe(options.get("--count"));
  });

  it("scale by the tasks that are ready or in progress, in a real database", async () => {
    const url = inject("postgresUrl");
    const { query = "" } = trigger.metadata;
    onTestFinished(() => dropSchema(url, "ekiden"));
    const store = await openStore({ url, team: name("default"), clock: systemClock });
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const wanted = async (): Promise<number> => Number((await client.query(query)).rows[0].count);
      expect(await wanted()).toBe(0);
      await store.board.addAll(
        [{ subject: "a" }, { subject: "b" }, { subject: "c", blockedBy: [{ nth: 0 }] }],
        PERSON,
      );
      expect(await wanted()).toBe(2);
      await store.roster.open(host("here"), "this machine", process.pid);
      const seat = await store.roster.join(profile("alice"), host("here"), PERSON);
      const task = await store.board.claimNext(seat);
      expect(await wanted()).toBe(2);
      if (task) await store.board.complete({ seat, task: task.id, attempt: task.attempt }, "done");
      expect(await wanted()).toBe(2); // one is done, and the one that waited for it is ready
    } finally {
      await client.end();
      await store.close();
    }
  });
});

describe("the Dockerfile", () => {
  const lines = readFileSync(join(ROOT, "Dockerfile"), "utf8").replaceAll(/\\\n/g, " ").split("\n");
  const of = (instruction: string): string[] =>
    lines.flatMap((line) => (line.startsWith(`${instruction} `) ? [line.slice(instruction.length + 1)] : []));
  const manifest = require("../../package.json") as {
    bin: Record<string, string>;
    engines: { node: string };
  };

  it("copies what is there and what its context lets through", () => {
    const ignored = readFileSync(join(ROOT, ".dockerignore"), "utf8").split("\n");
    expect(ignored).toContain("*");
    const sources = of("COPY")
      .filter((line) => !line.startsWith("--from"))
      .flatMap((line) => line.split(" ").slice(0, -1));
    expect(sources.length).toBeGreaterThan(5);
    for (const source of sources) {
      expect(existsSync(join(ROOT, source)), source).toBe(true);
      expect(ignored, source).toContain(`!${source}`);
    }
  });

  it("ends as a user without rights, with the program and what its members need", () => {
    expect(of("FROM")).toHaveLength(2);
    expect(of("USER").at(-1)).toBe(`${1000}:${1000}`);
    expect(JSON.parse(of("ENTRYPOINT")[0] ?? "[]")).toEqual(["tini", "--", Object.keys(manifest.bin)[0]]);
    const installed = of("RUN").find((line) => line.includes("apt-get install")) ?? "";
    for (const need of ["bubblewrap", "git", "tini", "util-linux"]) expect(installed).toContain(` ${need}`);
  });
});
