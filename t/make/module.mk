# nginx's own makefile, run in its directory, with flags for our files only.

include objs/Makefile

objs/addon/%.o: CFLAGS += $(OWN_FLAGS)

# nginx and each module have a global "ngx_modules"; to the address sanitizer
# that is a mistake

objs/ngx_http_open_responses_module_modules.o: CFLAGS += $(LIST_FLAGS)

# a build of all files takes a minute: each fiftieth prints a line

COMPILER := $(CC)
COUNTED   = $(eval COUNT += x)$(words $(COUNT))

objs/addon/%.o: CC = $(call progress,$(COUNTED))$(COMPILER)

progress  = $(if $(filter %50 %00,$1),$(info compiling, $1 of $(FILES) files))
