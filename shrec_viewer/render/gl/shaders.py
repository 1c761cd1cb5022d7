"""GLSL programs of the OpenGL renderer."""

from shrec_viewer.render.scene.values import ALL_DEFINED

SHADE = """
uniform vec3 key, key_colour, fill, fill_colour, sky, ground, base_colour;
uniform float key_wrap, fill_wrap, rim;

vec3 shade(vec3 normal) {
    vec3 light = key_colour * max((dot(normal, key) + key_wrap) / (1.0 + key_wrap), 0.0);
    light += fill_colour * max((dot(normal, fill) + fill_wrap) / (1.0 + fill_wrap), 0.0);
    light += mix(ground, sky, (normal.y + 1.0) / 2.0);
    float away = 1.0 - clamp(normal.z, 0.0, 1.0);
    return light * (1.0 - rim * away * away);
}

vec3 encode(vec3 linear) {
    vec3 value = clamp(linear, 0.0, 1.0);
    return mix(12.92 * value, 1.055 * pow(value, vec3(1.0 / 2.4)) - 0.055, greaterThan(value, vec3(0.0031308)));
}
"""

#: `eye_point` is the point in axes of the eye, with the centre of the sphere as its origin.
VERTEX = (
    SHADE
    + """
uniform mat4 clip;
uniform mat3 rotation;
uniform float point_size;
in vec3 point;
#if COLOURED
in vec3 vertex_colour;
out vec3 interpolated_colour;
#endif
#if TEXTURED
in vec2 vertex_uv;
out vec2 uv;
#endif
#if VALUED && NEAREST_CORNER
in vec3 corner_values;
out vec3 values, share;
#elif VALUED
in vec2 vertex_value;
out vec2 value;
#endif
#if SMOOTH
in vec3 normal;
out vec3 interpolated_normal;
#endif
#if WIRE
out vec3 weight;
#endif
#if SHADED_VERTICES
uniform vec4 eye;
in vec3 facet;
flat out vec3 tint;
#endif
out vec3 eye_point;
void main() {
    gl_Position = clip * vec4(point, 1.0);
    gl_PointSize = point_size;
    eye_point = rotation * point;
#if COLOURED
    interpolated_colour = vertex_colour;
#endif
#if TEXTURED
    uv = vertex_uv;
#endif
#if VALUED && NEAREST_CORNER
    values = corner_values;
    share = vec3(equal(ivec3(gl_VertexID % 3), ivec3(0, 1, 2)));
#elif VALUED
    value = vertex_value;
#endif
#if SMOOTH
    interpolated_normal = rotation * normal;
#endif
#if WIRE
    weight = gl_Position.w * vec3(equal(ivec3(gl_VertexID % 3), ivec3(0, 1, 2)));
#endif
#if SHADED_VERTICES
    vec3 own = rotation * facet;
    tint = encode(shade(dot(own, eye.xyz - eye.w * eye_point) < 0.0 ? -own : own) * base_colour);
#endif
}
"""
)

LIGHT = (
    SHADE
    + """
uniform vec3 wire;
uniform mat3 rotation;
uniform float wire_width, wire_opacity, wire_full_width;
in vec3 eye_point;
#if SHADED_VERTICES
flat in vec3 tint;
#endif
#if COLOURED
in vec3 interpolated_colour;
#endif
#if TEXTURED
uniform sampler2D texture_image;
in vec2 uv;
// Mipmap level as in `texture.Texels`; drivers choose levels differently.
vec3 texel() {
    vec2 right = dFdx(uv) * vec2(textureSize(texture_image, 0)), down = dFdy(uv) * vec2(textureSize(texture_image, 0));
    return textureLod(texture_image, uv, 0.5 * log2(max(max(dot(right, right), dot(down, down)), 1e-12))).rgb;
}
#endif
#if VALUED
// Colours of a quantity, the last one of undefined values; the same calculation as `values.palette_indices`.
uniform sampler2D palette;
uniform float low, per_step;
#if NEAREST_CORNER
in vec3 values, share;
#else
in vec2 value;
#endif
vec3 value_colour() {
#if NEAREST_CORNER
    float number = share.x >= max(share.y, share.z) ? values.x : share.y >= share.z ? values.y : values.z;
    bool defined = number > -0.5;
#else
    float number = value.x;
    bool defined = value.y > ALL_DEFINED;
#endif
    float last = float(textureSize(palette, 0).x - 1);
    float index = defined ? clamp((number - low) * per_step, 0.0, last - 1.0) : last;
    return texelFetch(palette, ivec2(int(index), 0), 0).rgb;
}
#endif
#if VALUED
#define albedo value_colour()
#elif COLOURED && TEXTURED
#define albedo (interpolated_colour * texel())
#elif COLOURED
#define albedo interpolated_colour
#elif TEXTURED
#define albedo texel()
#else
#define albedo base_colour
#endif
#if SMOOTH
in vec3 interpolated_normal;
#endif
#if WIRE
in vec3 weight;
#endif
layout(location = 0) out vec4 colour;

vec3 oriented(vec3 normal) { return 0.5 + 0.45 * (transpose(rotation) * normal); }
"""
)

FACE = (
    LIGHT
    + """
void main() {
#if SHADED_VERTICES
    vec3 shaded = tint;
#else
    // Screen derivatives give the plane of the face, facing the eye: independent of normals and orientation.
    vec3 facing = cross(dFdx(eye_point), dFdy(eye_point));
    float size = length(facing);
    facing = size > 0.0 ? facing / size : vec3(0.0, 0.0, 1.0);
    vec3 normal = facing;
#if SMOOTH
    normal = normalize(interpolated_normal);
    normal = dot(normal, facing) < 0.0 ? -normal : normal;
#endif
#if NORMALS
    vec3 shaded = oriented(gl_FrontFacing ? facing : -facing);
#else
    vec3 shaded = encode(shade(normal) * albedo);
#endif
#endif
#if WIRE
    // Linear on the screen; Mesa without a GPU computes `noperspective` incorrectly for clipped faces.
    vec3 near = weight * gl_FragCoord.w;
    vec3 across = dFdx(near), down = dFdy(near);
    vec3 altitudes = 1.0 / (max(sqrt(across * across + down * down), 1e-9) * float(COUNT));
    vec3 distances = near * altitudes;
    float line = clamp(wire_width + 0.5 - min(distances.x, min(distances.y, distances.z)), 0.0, 1.0);
    float size_factor = clamp(min(altitudes.x, min(altitudes.y, altitudes.z)) / wire_full_width, 0.15, 1.0);
    shaded = mix(shaded, wire, wire_opacity * line * size_factor);
#endif
    colour = vec4(shaded, 1.0);
}
"""
)

BALL = (
    LIGHT
    + """
void main() {
    vec2 position = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);
    float towards = 1.0 - dot(position, position);
    if (towards <= 0.0) discard;
    vec3 normal = vec3(position, sqrt(towards));
#if NORMALS
    colour = vec4(oriented(normal), 1.0);
#else
    colour = vec4(encode(shade(normal) * albedo), 1.0);
#endif
}
"""
)

LINE_VERTEX = """
#version 330
in vec3 position;
in vec3 line_colour;
flat out vec3 tint;
void main() {
    gl_Position = vec4(position, 1.0);
    tint = line_colour;
}
"""

#: Lines of the overlay, given as triangles on the screen.
LINE = """
#version 330
flat in vec3 tint;
layout(location = 0) out vec4 colour;
void main() { colour = vec4(tint, 1.0); }
"""

#: A rectangle over the full image.
FULL_SCREEN = """
#version 330
in vec2 corner;
void main() { gl_Position = vec4(corner, 0.0, 1.0); }
"""

#: The nearest sample of each pixel, as depth within the sphere, with a border of `pad` pixels of background.
NEAREST = """
#extension GL_ARB_texture_gather : enable
#ifdef GL_ARB_texture_gather
#define GATHER (COUNT == 2)
#else
#define GATHER false
#define textureGather(depths, position) vec4(1.0)
#endif
uniform sampler2D depths;
uniform vec4 unproject;
uniform int pad;
layout(location = 0) out float nearest;
void main() {
    ivec2 first = (ivec2(gl_FragCoord.xy) - pad) * COUNT;
    float least = 1.0;
    if (GATHER) {  // all four at once: half the time in Mesa without a GPU
        vec4 four = textureGather(depths, vec2(first + 1) / vec2(textureSize(depths, 0)));
        least = min(min(four.x, four.y), min(four.z, four.w));
    } else
        for (int i = 0; i < COUNT; ++i)
            for (int j = 0; j < COUNT; ++j)
                least = min(least, texelFetch(depths, first + ivec2(i, j), 0).r);
    if (least >= 1.0) discard;
    nearest = (unproject.x + unproject.y * least) / (unproject.z + unproject.w * least);
}
"""

#: Averages samples to pixels, with ambient occlusion as in `scene.ambient_occlusion`; straight alpha.
#:
#: COUNT, PAIRS and AMBIENT_OCCLUSION are constants: loops over uniforms take ten times as long in Mesa without a GPU.
RESOLVE = """
uniform sampler2D colours, nearest;
uniform int pad;
uniform ivec2 offsets[PAIRS];
uniform float weights[PAIRS], units[PAIRS], borders[PAIRS];
uniform float cavity, ridge, outline, far;
layout(location = 0) out vec4 pixel;

float depth(ivec2 position) { return texelFetch(nearest, position, 0).r; }

float ambient_occlusion(ivec2 pixel_index) {
    float own = depth(pixel_index);
    float total = 0.0, border = 0.0;
    for (int k = 0; k < PAIRS; ++k) {
        float one = depth(pixel_index + offsets[k]), two = depth(pixel_index - offsets[k]);
        bool both = max(one, two) < far;
        total += both ? weights[k] * clamp(((one + two) / 2.0 - own) * units[k], -1.0, 1.0) : 0.0;
        border += both ? 0.0 : borders[k];
    }
    return 1.0 + (total < 0.0 ? cavity : ridge) * total - outline * min(2.0 * border, 1.0);
}

void main() {
    ivec2 pixel_index = ivec2(gl_FragCoord.xy);
    vec4 sum = vec4(0.0);
    for (int i = 0; i < COUNT; ++i)
        for (int j = 0; j < COUNT; ++j)
            sum += texelFetch(colours, (pixel_index - pad) * COUNT + ivec2(i, j), 0);
    if (!AMBIENT_OCCLUSION && sum.a <= 0.0) discard;
    vec3 mean = sum.rgb / sum.a;
    if (AMBIENT_OCCLUSION) mean *= ambient_occlusion(pixel_index);
    pixel = vec4(clamp(mean, 0.0, 1.0), sum.a / float(COUNT * COUNT));
}
"""


def resolve_header(count: int, pairs: int, ambient_occlusion: bool) -> str:
    """Definitions at the start of NEAREST and RESOLVE: samples per side of a pixel, pairs of neighbours, occlusion."""
    switch = "true" if ambient_occlusion else "false"
    return f"#version 330\n#define COUNT {count}\n#define PAIRS {pairs}\n#define AMBIENT_OCCLUSION {switch}\n"


def shading_header(shading: str, count: int, flags: dict[str, bool]) -> str:
    """Definitions at the start of VERTEX, FACE and BALL: constants, so that unused features cost nothing without a GPU.

    Parameters
    ----------
    flags : COLOURED, TEXTURED, VALUED, NEAREST_CORNER, WIRE and SHADED_VERTICES.
    """
    names = {**flags, "SMOOTH": shading == "smooth", "NORMALS": shading == "normals"}
    return "".join(
        [
            "#version 330\n",
            f"#define COUNT {count}\n#define ALL_DEFINED {ALL_DEFINED}\n",
            *(f"#define {name} {int(on)}\n" for name, on in names.items()),
        ]
    )
