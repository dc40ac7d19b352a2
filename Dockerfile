# Ekiden with what its members need: git for worktrees, bubblewrap for the sandbox. Runs as the user 1000, without root.
#   docker build -t ekiden .
#   docker run --rm -v "$PWD:/workspace" --security-opt seccomp=unconfined -e ANTHROPIC_API_KEY ekiden run "Find out why the tests are slow"

FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
# Without scripts: the only one that is needed, the build, follows below.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsdown.config.ts CHANGELOG.md LICENSE README.md ./
COPY scripts scripts
COPY src src
RUN npm run build && npm pack --ignore-scripts --pack-destination /tmp

FROM node:24-bookworm-slim
# tini is process 1: it hands signals on, and ends what orphans leave behind.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates git openssh-client tini util-linux \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /tmp/ekiden-*.tgz /tmp/
RUN npm install --global --ignore-scripts /tmp/ekiden-*.tgz && rm -rf /tmp/ekiden-*.tgz /root/.npm \
  && mkdir /workspace && chown 1000:1000 /workspace
ENV NODE_ENV=production
USER 1000:1000
WORKDIR /workspace
ENTRYPOINT ["tini", "--", "ekiden"]
CMD ["--help"]
