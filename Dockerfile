# Handheld with adb: docs/container.md. Where there is no Docker, scripts/container.py reads this file
# and runs its steps; it knows the instructions that are used here.
ARG BASE=python:3.13-slim-trixie

FROM ${BASE} AS build
WORKDIR /src
COPY requirements-build.lock requirements.lock ./
# What builds packages comes first: pip's isolated builds would fetch it without hashes.
RUN --mount=type=cache,target=/root/.cache/pip \
    python -m venv /build \
    && /build/bin/pip install --no-compile --no-deps --require-hashes -r requirements-build.lock \
    && /build/bin/pip wheel --no-deps --no-build-isolation --require-hashes -w /wheels -r requirements.lock
COPY LICENSE README.md pyproject.toml ./
COPY src src
RUN /build/bin/pip wheel --no-deps --no-build-isolation -w /wheels . \
    && python -m venv --without-pip /opt/handheld \
    && /build/bin/pip --python /opt/handheld/bin/python install --no-cache-dir --no-compile --no-index --no-deps /wheels/*.whl \
    && python -m compileall -q -j 0 /opt/handheld/lib

FROM ${BASE}
LABEL org.opencontainers.image.title="Handheld" \
      org.opencontainers.image.description="Android phones in an AI agent's hands, over MCP" \
      org.opencontainers.image.licenses="Apache-2.0"
# Debian keeps one version of adb in a release, so a pinned one would fail at the next security fix.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends adb \
    && rm -rf /var/lib/apt/lists/*
# The inner folder, too: Docker would make it for root where a token is mounted into it.
RUN useradd --uid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin handheld \
    && install --directory --mode 700 --owner handheld --group handheld /data /data/state
COPY --from=build /opt/handheld /opt/handheld
# A container's own loopback cannot be reached from outside. The server asks for a token on any address
# but loopback; which addresses of the computer lead here is for `docker run --publish` to say.
ENV PATH=/opt/handheld/bin:$PATH \
    HOME=/data \
    HANDHELD_HOME=/data \
    HANDHELD_HOST=0.0.0.0 \
    HANDHELD_PORT=8080 \
    PYTHONUNBUFFERED=1
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-Ic", "import http.client, os, sys; server = http.client.HTTPConnection('127.0.0.1', int(os.environ['HANDHELD_PORT']), timeout=4); server.request('GET', '/health'); sys.exit(server.getresponse().status != 200)"]
ENTRYPOINT ["handheld"]
CMD ["serve", "--phone", "virtual"]
